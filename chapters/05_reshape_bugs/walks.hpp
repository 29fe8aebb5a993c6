// Chapter 5: how tensors walk through memory.
#pragma once

#include "mha/strided.hpp"
#include "mha/values.hpp"

#include <string>
#include <vector>

namespace walks {

// [split]
// What a projection leaves behind: one row a token, its heads side by side.
struct Split {
  mha::Index tokens = 3, heads = 2, d_head = 4;
};
// [split]

// [declarations]
// Prints the part of the demo that is about views and copies.
void print_walks(const Split& split);

// Adds the numbers that the prose quotes.
void add_values(mha::Values& values, const Split& split);

// The figures of this part.
std::string draw_two_ways(const Split& split);
std::string draw_flattening();
// [declarations]

// [two ways]
// Numbers 0, 1, 2, … as a projection lays them down, and two ways to make
// heads of them, both of shape (H, T, d_head).
mha::StridedTensor<int> split_then_swap(const Split& split);
mha::StridedTensor<int> one_view(const Split& split);

// How many rows of d_head floats stand where the head and the token say.
mha::Index rows_in_place(const mha::StridedTensor<int>& heads,
                         const Split& split);
// [two ways]

// [strip]
// A picture of memory: one cell a float, in the order in which they lie. The
// cells that a tensor reads are filled, with a number for when it reads them.
struct Strip {
  std::string title;
  std::vector<std::string> cells;  // what each float of memory is: "t0"
  mha::Layout reads;               // of the tensor that reads them
};

std::string draw_strips(const std::string& title,
                        const std::string& description,
                        const std::vector<Strip>& strips);
// [strip]

}  // namespace walks
