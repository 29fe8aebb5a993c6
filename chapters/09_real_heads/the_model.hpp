// Chapter 9: the model of the claims, read once.
#pragma once

#include "head_ablation.hpp"
#include "relation_counts.hpp"

namespace trained {

// [the model]
inline const Model& the_model() {
  static const Model model = load_model(model_folder());
  return model;
}

inline const ManyTexts& the_sentences() {
  static const ManyTexts many(the_model().encoder, marked_texts(the_model()));
  return many;
}
// [the model]

}  // namespace trained
