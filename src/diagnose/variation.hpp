/// \file variation.hpp
/// The wrong attentions that a diagnosis knows.
#pragma once

#include "attention_steps.hpp"
#include "mha/layer.hpp"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace diagnose {

using gallery::Call;
using mha::Index;
using Numbers = mha::Matrix<double>;
using Weights = mha::LayerWeights<double>;

/// A layer's weights as a variation reads them. The matrices that it leaves
/// alone are those it was given.
struct ReadWeights {
  using Matrix = std::shared_ptr<const Numbers>;
  Matrix w_q;  ///< (d_model, n_heads d_head)
  Matrix w_k;  ///< (d_key, n_kv_heads d_head)
  Matrix w_v;  ///< (d_key, n_kv_heads d_head)
  Matrix w_o;  ///< (n_heads d_head, d_model)
  mha::RowVector<double> b_q, b_k, b_v, b_o;  ///< each may be empty
};

/// What a variation makes of the weights of a layer with so many heads.
using Reread = ReadWeights (*)(const ReadWeights&, Index n_heads);

/// What a variation may look at to say whether it can differ at all.
struct Traits {
  bool causal = false;   ///< a causal mask was asked for
  bool pairs = false;    ///< there is a mask of pairs
  bool padding = false;  ///< there is a padding
  bool bias = false;     ///< there is a mask of numbers to add
  bool scale = false;    ///< the scale was given
  bool layer = false;    ///< there are projections
  bool shared = false;   ///< there are fewer key/value heads
  bool batched = false;  ///< there are several items
  bool any_mask() const { return causal || pairs || padding; }
};

/// One thing that is wrong.
struct Variation {
  std::string name;  ///< as --example takes it
  std::string what;  ///< what was done; or, of the gallery's, what one sees
  std::string mend;  ///< what to change
  std::string page;  ///< of the book, without ending
  gallery::Steps steps = {};      ///< what it exchanges
  gallery::Rewrite rewrite = {};  ///< what it makes of the call
  /// What it makes of the projections; a layer only.
  Reread reread = nullptr;
  bool adds_input = false;  ///< the layer's input is in its output
  bool across = false;      ///< a query's weights depend on the others
  bool coarse = false;      ///< rounds by itself, in an order nobody knows
  bool (*matters)(const Traits&) = nullptr;  ///< none: always
  bool is_symptom = false;  ///< whether `what` is what one sees
  bool by_heads = false;    ///< reread goes by how many heads there are
};

/// All of them: those of the gallery of chapter 5 whose output can tell, then
/// the diagnosis' own.
/// \returns the list, in the order in which they are named
const std::vector<Variation>& variations();

/// \param one  a variation
/// \returns its `what`, and in front of it which of the two it is
std::string what_text(const Variation& one);

/// \param name  of a variation
/// \returns it, or nothing
const Variation* find_variation(const std::string& name);

/// The diagnosis' own, beside the gallery's.
/// \returns the list
std::vector<Variation> more_variations();

/// One or two variations at once; none: the right attention.
struct Hypothesis {
  std::vector<const Variation*> parts;
  gallery::Steps steps = {};
  gallery::Rewrite rewrite = {};
  Reread reread = nullptr;
  bool by_heads = false;
  bool adds_input = false;
  bool across = false;
  bool coarse = false;

  /// \returns "right", or the names joined with " + "
  std::string name() const;
};

/// \param parts  variations
/// \returns all of them at once; nothing when two exchange the same step
std::optional<Hypothesis> combine(const std::vector<const Variation*>& parts);

}  // namespace diagnose
