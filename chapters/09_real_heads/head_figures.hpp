// Chapter 9: the pictures.
#pragma once

#include "head_ablation.hpp"
#include "relation_counts.hpp"

#include <string>
#include <string_view>

namespace trained {

// [head figures]
std::string draw_maps(const Model& model, std::string_view text);
std::string draw_relations(const std::vector<Counts>& all);
std::string draw_pairs(Ablation& ablation);
std::string draw_pruning(Ablation& ablation);
// [head figures]

}  // namespace trained
