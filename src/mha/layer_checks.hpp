/// \file layer_checks.hpp
/// The battery for a layer with projections (chapter 5).
#pragma once

#include "mha/battery.hpp"
#include "mha/layer.hpp"

#include <functional>
#include <string>
#include <vector>

namespace mha {

// [layer call]
/// One call of a layer: what goes in, its parameters and its masks.
struct LayerCall {
  Matrix<double> x = {};       ///< (batch T_q, d_model)
  Matrix<double> memory = {};  ///< (batch T_k, d_memory): keys and values come
                               ///< from here; empty: from x
  /// `w_k` and `w_v` are (d_memory, n_kv_heads d_head).
  LayerWeights<double> weights = {};
  Index batch = 1;                ///< items
  Index n_heads = 1;              ///< query heads
  Index n_kv_heads = 1;           ///< key/value heads
  AttentionOptions options = {};  ///< causal, pairs, bias, scale
  BoolMatrix padding = {};        ///< (batch, T_k): true is a real token
};

/// Any layer: returns its output, (batch T_q, columns of w_o).
using LayerFunction = std::function<Matrix<double>(const LayerCall& call)>;
// [layer call]

// [layer definition]
/// \param call  a call of a layer
/// \return what it is to give, from the definition, in plain loops
/// \throws std::invalid_argument when the shapes do not fit
Matrix<double> layer_by_definition(const LayerCall& call);

/// The attention inside a layer, laid bare by a choice of weights: d_model is
/// three times the width w of the queries, and x holds queries, keys and
/// values side by side, w columns each. w_q, w_k and w_v select their third,
/// w_o is the identity. Of the 3 n_heads heads of the layer the first n_heads
/// are the attention that was asked for; the others read zeros. A call with
/// as many keys as queries is self-attention, any other has a memory.
/// \param layer  any layer
/// \return an attention, without maps and dropout
AttentionFunction attention_of_layer(LayerFunction layer);
// [layer definition]

// [check layer]
/// Makes every check of checks() on the attention inside a layer, and then
/// those of layer_checks(). Maps and dropout are not asked for; NaN neither,
/// since a projection spreads it, nor widths above 64, which would take long.
/// \param layer      any layer
/// \param abilities  what may be asked of it
/// \return what was found
BatteryReport check_layer(const LayerFunction& layer,
                          const Abilities& abilities = {});
// [check layer]

// [layer trial]
/// What a check of a layer works with.
struct LayerTrial {
  const LayerFunction& layer;    ///< asked by the checks
  const Abilities& abilities;    ///< what may be asked of it
  LayerCall asked = {};          ///< the last question

  /// \param call  the question
  /// \return the layer's output
  /// \throws std::runtime_error when it has another shape
  Matrix<double> output(const LayerCall& call);
};

/// A sentence that is true of every right layer, and the test of it.
struct LayerCheck {
  std::string sentence;                       ///< what holds
  std::string (*find)(LayerTrial&);           ///< what is wrong, or nothing
  std::vector<bool Abilities::*> needs = {};  ///< what it cannot do without
};

/// \return all of them
const std::vector<LayerCheck>& layer_checks();

/// Makes only those, and none of the attention inside.
/// \param layer      any layer
/// \param abilities  what may be asked of it
/// \return what was found
BatteryReport check_projections(const LayerFunction& layer,
                                const Abilities& abilities = {});

/// \param seed       of TorchGenerator
/// \param sizes      the sizes
/// \param abilities  whether it has biases, a memory and any width
/// \return a call with random weights
LayerCall random_layer_call(std::uint32_t seed, const CallSizes& sizes,
                            const Abilities& abilities);
// [layer trial]

}  // namespace mha
