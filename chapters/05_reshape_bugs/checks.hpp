// Chapter 5: checks, each takes any attention and says what is wrong with it.
#pragma once

#include "attention_call.hpp"

#include <string>
#include <vector>

namespace gallery {

// [check]
// A sentence that is true of every right attention, and the test of it.
struct Check {
  std::string sentence;
  std::string (*find)(const Attention&);  // what is wrong; empty: nothing
};

const std::vector<Check>& checks();

// The check of that name; throws if there is none.
const Check& check_named(const std::string& sentence);

// What a check finds; an attention that throws is wrong as well.
std::string finding(const Check& check, const Attention& attention);
// [check]

// [inputs]
// Three tokens, two heads of width 4: all sizes differ.
Call fixture();

// Random numbers, self-attention unless t_k says otherwise.
Call random_call(std::uint32_t seed, Index batch, Index t_q, Index n_heads,
                 Index d_head, Index t_k = 0, Index n_kv_heads = 0);

// One head of width 1 whose single query, 1, scores keys as given.
Call one_row(const std::vector<double>& scores);
// [inputs]

}  // namespace gallery
