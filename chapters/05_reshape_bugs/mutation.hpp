// Chapter 5: a right program whose expressions can be exchanged, one at a time.
#pragma once

#include "mha/attention_call.hpp"

#include <functional>
#include <initializer_list>
#include <string>
#include <type_traits>
#include <vector>

namespace mutants {

// [mutant]
using mha::Index;

// One expression, changed in one way.
struct Mutant {
  const char* site = nullptr;  // names the expression; nullptr: none is changed
  const char* kind = "";
  const char* change = "";
  std::size_t which = 0;  // of the changes at this site
};

template <typename T>
struct Wrong {
  const char* change;
  T value;
};

inline std::string name_of(const Mutant& one) {
  return std::string(one.site) + ": " + one.change;
}
// [mutant]

// [mutator]
// Hands out each expression's value, right or wrong. A site is known by the
// address of its name, so that asking is cheap inside a loop.
class Mutator {
 public:
  explicit Mutator(const Mutant& active) : active_(active) {}
  // Notes every site that is passed.
  explicit Mutator(std::vector<Mutant>& found) : found_(&found) {}

  template <typename T>
  T pick(const char* kind, const char* site, T right,
         std::initializer_list<Wrong<std::type_identity_t<T>>> wrong) const {
    if (site == active_.site) return (wrong.begin() + active_.which)->value;
    if (found_ == nullptr) return right;
    std::size_t which = 0;
    for (const auto& one : wrong) note({site, kind, one.change, which++});
    return right;
  }
  // [mutator]

  // [usual changes]
  Index index(const char* site, Index i) const {
    return pick<Index>("index", site, i,
                       {{"plus 1", i + 1}, {"minus 1", i - 1}, {"0", 0}});
  }
  Index stride(const char* site, Index right, Index swapped) const {
    return pick<Index>("stride", site, right,
                       {{"plus 1", right + 1}, {"minus 1", right - 1},
                        {"0", 0}, {"of another axis", swapped}});
  }
  Index first(const char* site) const {
    return pick<Index>("loop bound", site, 0, {{"starts at 1", 1}});
  }
  Index end(const char* site, Index n) const {
    return pick<Index>("loop bound", site, n, {{"ends one early", n - 1}});
  }
  bool flag(const char* kind, const char* site, const char* change,
            bool other = true) const {
    return pick<bool>(kind, site, !other, {{change, other}});
  }
  // A sum that is to be kept in double precision.
  double sum(const char* site, double x) const {
    return pick<double>("sum", site, x,
                        {{"kept as float", static_cast<double>(
                                               static_cast<float>(x))}});
  }
  // [usual changes]

  // [note]
 private:
  void note(const Mutant& mutant) const;

  Mutant active_ = {};
  std::vector<Mutant>* found_ = nullptr;
};
// [note]

// [wrapped]
// Memory without an outside: a wrong place is another place, not a crash.
template <typename T>
struct Wrapped {
  T* data;
  Index size;
  T& operator[](Index at) const {
    if (0 <= at && at < size) return data[at];
    const Index rest = at % size;
    return data[rest < 0 ? rest + size : rest];
  }
};

inline Wrapped<const double> reading(const mha::Matrix<double>& m) {
  return {m.data(), m.size()};
}
inline Wrapped<double> writing(mha::Matrix<double>& m) {
  return {m.data(), m.size()};
}
inline bool at(const mha::BoolMatrix& m, Index row, Index col) {
  return Wrapped<const bool>{m.data(), m.size()}[row * m.cols() + col];
}
// [wrapped]

// [plain attention]
// Attention in plain loops over memory, apart from every other one in this
// book. Every expression that matters passes through `m`.
mha::AttentionAnswer plain_attention(const mha::AttentionCall& call,
                                     const Mutator& m);
// [plain attention]

}  // namespace mutants
