/// \file published_models.hpp
/// The attention shapes of models that were published (chapters 4 and 6).
#pragma once

#include "mha/matrix.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace mha {

// [shape]
/// Which projections of a layer have biases.
enum class Bias { none, qkv, all };
/// Whether queries and keys have learned gains, one row each for all heads.
enum class Norms { none, per_head };

/// Everything that the count of a layer's parameters depends on.
struct AttentionShape {
  Index d_model = 0;                  ///< width of a token
  Index n_heads = 0;                  ///< query heads
  Index n_kv_heads = 0;               ///< heads with keys and values
  Index d_head = 0;                   ///< width of a head
  Bias bias = Bias::none;             ///< which projections have one
  Norms norms = Norms::none;          ///< gains on queries and keys
  std::optional<Index> d_key = {};    ///< width of what keys are made from
  std::optional<Index> d_value = {};  ///< both d_model when empty
};
// [shape]

// [model]
/// A published model.
struct Model {
  std::string_view name;  ///< as its makers write it
  Index layers;           ///< how many
  AttentionShape shape;   ///< of each
  Index recorded;  ///< attention parameters of all layers, worked out apart
};

/// \return those with ordinary attention, in the order of their families
const std::vector<Model>& models();

/// \param name  as models() has it
/// \return the model
/// \throws std::invalid_argument when there is none of that name
const Model& model_named(const std::string& name);
// [model]

// [latent model]
/// A model with multi-head latent attention: keys and values of all heads are
/// made from one short row a token, and so, in the large ones, are the queries.
struct LatentModel {
  std::string name;  ///< as its makers write it
  Index layers;      ///< how many
  Index d_model;     ///< width of a token
  Index n_heads;     ///< query heads
  Index q_rank;      ///< 0: queries are made from the token itself
  Index kv_rank;     ///< of the row that keys and values are made from
  Index plain;       ///< columns of a head's queries and keys
  Index rotary;      ///< and those that are turned by the position
  Index value;       ///< columns of a head's values
  Index recorded;  ///< attention parameters of all layers, worked out apart
};

/// \return the models with latent attention
const std::vector<LatentModel>& latent_models();
// [latent model]

}  // namespace mha
