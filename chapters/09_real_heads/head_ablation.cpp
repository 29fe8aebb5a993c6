#include "head_ablation.hpp"

#include "mha/program.hpp"

#include <algorithm>
#include <numeric>

namespace trained {

// [head sets]
HeadSet only(Index head) {
  return HeadSet().set(static_cast<std::size_t>(head));
}

HeadSet both(Index first, Index second) { return only(first) | only(second); }

HeadSet all_others_of_its_layer(Index head) {
  HeadSet set;
  for (Index h = 0; h < n_all_heads; ++h) {
    if (h / n_heads == head / n_heads && h != head) set |= only(h);
  }
  return set;
}
// [head sets]

namespace {

// [gates without]
Gates gates_without(const HeadSet& without) {
  Gates gates = all_open();
  for (std::size_t h = 0; h < gates.size(); ++h) {
    if (without[h]) gates[h] = 0;
  }
  return gates;
}

Gates gate_at(Index head, float value) {
  Gates gates = all_open();
  gates[static_cast<std::size_t>(head)] = value;
  return gates;
}

// Rows are of length 1, so their product is the cosine.
double mean_loss(const Matrix<float>& a, const Matrix<float>& b) {
  return 1 - a.cwiseProduct(b).cast<double>().sum() /
                 static_cast<double>(a.rows());
}
// [gates without]

}  // namespace

// [loss]
Ablation::Ablation(const ManyTexts& many)
    : many_(many), whole_(many.embeddings(all_open())) {}

double Ablation::loss(const HeadSet& without, InPlace in_place) {
  const unsigned long key =
      2 * without.to_ulong() + (in_place == InPlace::mean ? 1 : 0);
  const auto known = known_.find(key);
  if (known != known_.end()) return known->second;
  const double loss = mean_loss(
      whole_, many_.embeddings(gates_without(without), in_place));
  return known_.emplace(key, loss).first->second;
}
// [loss]

// [slopes]
constexpr float step = 1.0F / 16;  // of a gate, to either side

double Ablation::distance(Index head) const {
  return (whole_ - many_.embeddings(gate_at(head, 0)))
      .rowwise().norm().cast<double>().mean();
}

double Ablation::slope(Index head) const {
  const Matrix<float> up = many_.embeddings(gate_at(head, 1 + step));
  const Matrix<float> down = many_.embeddings(gate_at(head, 1 - step));
  return ((up - down) / (2 * step)).rowwise().norm().cast<double>().mean();
}

double Ablation::slope_of_loss(Index head) const {
  const double up = mean_loss(whole_, many_.embeddings(gate_at(head,
                                                               1 + step)));
  const double down = mean_loss(whole_, many_.embeddings(gate_at(head,
                                                                 1 - step)));
  return (up - down) / (2 * static_cast<double>(step));
}
// [slopes]

// [pruning steps]
Pruning prune_greedily(Ablation& ablation) {
  Pruning pruning{{}, {ablation.loss({})}};
  HeadSet gone;
  while (!gone.all()) {
    Index next = -1;
    for (Index h = 0; h < n_all_heads; ++h) {
      if (gone[static_cast<std::size_t>(h)]) continue;
      if (next < 0 ||
          ablation.loss(gone | only(h)) < ablation.loss(gone | only(next))) {
        next = h;
      }
    }
    gone |= only(next);
    pruning.order.push_back(next);
    pruning.loss.push_back(ablation.loss(gone));
  }
  return pruning;
}

Pruning prune_in_order(Ablation& ablation, const std::vector<Index>& order) {
  Pruning pruning{order, {ablation.loss({})}};
  HeadSet gone;
  for (const Index head : order) {
    gone |= only(head);
    pruning.loss.push_back(ablation.loss(gone));
  }
  return pruning;
}
// [pruning steps]

// [ranks]
std::vector<Index> ascending(const std::vector<double>& importance) {
  std::vector<Index> order(importance.size());
  std::iota(order.begin(), order.end(), Index{0});
  std::stable_sort(order.begin(), order.end(), [&](Index a, Index b) {
    return importance[static_cast<std::size_t>(a)] <
           importance[static_cast<std::size_t>(b)];
  });
  return order;
}

double rank_correlation(const std::vector<double>& a,
                        const std::vector<double>& b) {
  mha::require(a.size() == b.size() && a.size() >= 2,
               "{} and {} numbers cannot be ranked against each other",
               a.size(), b.size());
  const auto ranks = [](const std::vector<double>& numbers) {
    std::vector<double> rank(numbers.size());
    const std::vector<Index> order = ascending(numbers);
    for (std::size_t i = 0; i < order.size(); ++i) {
      rank[static_cast<std::size_t>(order[i])] = static_cast<double>(i);
    }
    return rank;
  };
  const std::vector<double> rank_a = ranks(a), rank_b = ranks(b);
  double apart = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    apart += (rank_a[i] - rank_b[i]) * (rank_a[i] - rank_b[i]);
  }
  const double n = static_cast<double>(a.size());
  return 1 - 6 * apart / (n * (n * n - 1));
}
// [ranks]

// [printing ablation]
void print_single_heads(Ablation& ablation) {
  mha::heading("Without one head, or with one alone");
  fmt::print("      loss without it       loss with it alone   derivative of\n");
  fmt::print("head  by zero  by mean      in its layer         the embedding   "
             "the loss\n");
  for (Index h = 0; h < n_all_heads; ++h) {
    const double flat = ablation.slope_of_loss(h);
    fmt::print("{:<5} {:6.3f} {:8.3f} {:14.3f} {:20.3f} {:>13}\n",
               head_name(h),
               ablation.loss(only(h)), ablation.loss(only(h), InPlace::mean),
               ablation.loss(all_others_of_its_layer(h)), ablation.slope(h),
               std::abs(flat) < 0.01 ? "below 0.01" : fmt::format("{:.2f}",
                                                                  flat));
  }
}

void print_pairs(Ablation& ablation) {
  mha::heading("Loss without two heads");
  fmt::print("    ");
  for (Index h = 0; h < n_all_heads; ++h) fmt::print("   {}", head_name(h));
  fmt::print("\n");
  for (Index a = 0; a < n_all_heads; ++a) {
    fmt::print("{} ", head_name(a));
    for (Index b = 0; b < n_all_heads; ++b) {
      fmt::print(" {:.3f}", ablation.loss(both(a, b)));
    }
    fmt::print("\n");
  }
}

void print_pruning(Ablation& ablation) {
  mha::heading("Heads taken out one after the other");
  std::vector<double> single, slope;
  for (Index h = 0; h < n_all_heads; ++h) {
    single.push_back(ablation.loss(only(h)));
    slope.push_back(ablation.slope(h));
  }
  const auto line = [](const char* name, const Pruning& pruning) {
    fmt::print("{:<26}", name);
    for (const Index head : pruning.order) fmt::print("  {:>4}",
                                                      head_name(head));
    fmt::print("\n{:<26}", "  loss by then");
    for (std::size_t i = 1; i < pruning.loss.size(); ++i) {
      fmt::print(" {:.3f}", pruning.loss[i]);
    }
    fmt::print("\n");
  };
  line("missed least at that time", prune_greedily(ablation));
  line("missed least at the start", prune_in_order(ablation,
                                                   ascending(single)));
  line("smallest derivative", prune_in_order(ablation, ascending(slope)));
}
// [printing ablation]

}  // namespace trained
