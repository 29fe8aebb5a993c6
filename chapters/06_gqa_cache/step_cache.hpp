// Chapter 6: a cache in steps, and caches with one step exchanged.
#pragma once

#include "mha/cache_checks.hpp"
#include "mha/grouped_attention.hpp"

#include <string>
#include <vector>

namespace caches {

// [steps]
using mha::Index;
using Numbers = mha::Matrix<double>;
using Row = mha::RowVector<double>;

// What a cache decides. `cached` tokens were there before this call, and the
// token in question is number i of the call.
Index right_position(Index cached, Index i);
Index right_slot(Index cached, Index i, Index slots);
Index right_oldest(Index position, Index window);

struct Steps {
  Index (*kv_head)(Index head, Index n_heads, Index n_kv_heads) =
      mha::kv_head_of;
  Index (*position)(Index cached, Index i) = right_position;
  Index (*slot)(Index cached, Index i, Index slots) = right_slot;
  Index (*oldest)(Index position, Index window) = right_oldest;
  bool turn_again = false;  // keys that were turned when they came
};
// [steps]

// [setting]
// What the cache is for.
struct Setting {
  Index n_heads = 4;
  Index n_kv_heads = 2;
  Index window = 1000;  // tokens a query may see, its own included
  bool rotary = false;  // whether queries and keys are turned
};

// A session that takes pieces of one item, in double precision.
mha::CacheSession session(const Steps& steps, const Setting& setting);

// Pairs of columns, turned by an angle that grows with the position
// (Su et al. 2021).
Row turned(Row row, Index d_head, Index position);

// The same tokens without a cache: all at once, by definition.
Numbers whole(const mha::AttentionCall& call, const Setting& setting);
// [setting]

// [case]
struct Case {
  std::string name;
  std::string symptom;
  Steps steps = {};
  Setting setting = {};
  std::vector<std::string> reports = {};  // rows of the table of bug reports
};

const std::vector<Case>& cases();
const Case& case_named(const std::string& name);

// What is wrong with what a cache returns, fed at once, one by one and in
// pieces; nothing if it is right.
std::string fault_in_pieces(const Case& one);
void print_cases();
void print_case(const Case& one);
void print_reports();
// [case]

}  // namespace caches
