// Chapter 9: what the embedding loses without some of its heads.
#pragma once

#include "many_texts.hpp"

#include <bitset>
#include <map>
#include <vector>

namespace trained {

// [ablation]
using HeadSet = std::bitset<n_all_heads>;  // those that are left out

class Ablation {
 public:
  explicit Ablation(const ManyTexts& many);

  // 1 less the cosine of the two embeddings, on average over the texts.
  double loss(const HeadSet& without, InPlace in_place = InPlace::zero);

  // How far the embedding moves when the head goes, on average.
  double distance(Index head) const;

  // How fast the embedding moves when the head's gate begins to close: the
  // length of the derivative by the gate, on average.
  double slope(Index head) const;

  // The derivative of the loss itself by the gate, where all are open.
  double slope_of_loss(Index head) const;

 private:
  const ManyTexts& many_;
  Matrix<float> whole_;  // (texts, d_model)
  std::map<unsigned long, double> known_;
};

HeadSet only(Index head);
HeadSet both(Index first, Index second);
HeadSet all_others_of_its_layer(Index head);
// [ablation]

// [pruning]
// Heads in the order in which they go, and the loss after each.
struct Pruning {
  std::vector<Index> order;
  std::vector<double> loss;  // one more: the first is that of the whole model
};

// At every step the head goes that is missed least at that moment.
Pruning prune_greedily(Ablation& ablation);
Pruning prune_in_order(Ablation& ablation, const std::vector<Index>& order);
// Heads from the least important to the most.
std::vector<Index> ascending(const std::vector<double>& importance);

// Agreement of two rankings: 1 for the same order, -1 for the reverse.
double rank_correlation(const std::vector<double>& a,
                        const std::vector<double>& b);
// [pruning]

// [print ablation]
void print_single_heads(Ablation& ablation);
void print_pairs(Ablation& ablation);
void print_pruning(Ablation& ablation);
// [print ablation]

}  // namespace trained
