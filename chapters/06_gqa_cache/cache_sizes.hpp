// Chapter 6: how many bytes the caches of published models take.
#pragma once

#include "mha/published_models.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace sizes {

// [served]
using mha::Index;

// What is needed beside the shape of attention to serve a model. Layers with a
// window keep its last tokens only. Parameters beside attention are counted
// where the model is of the Llama kind, and taken from its name where not.
struct Served {
  std::string_view name;
  Index context;            // tokens it was made for
  Index vocabulary = 0;     // 0: not of that kind
  Index d_ff = 0;
  Index tables = 2;         // 1 if words go in and come out by one table
  Index norms = 2;          // gains as wide as a token, in a layer
  Index experts = 1;
  double billions = 0;      // parameters, as its makers name it
  Index window = 0;         // tokens
  Index windowed = 0;       // layers that have it
};

const std::vector<Served>& served();
const Served& served_named(const std::string& name);
// [served]

// [bytes]
// Bytes that one token adds to a layer without window: keys and values.
Index layer_bytes_per_token(const mha::AttentionShape& shape,
                            Index bytes_a_number);

// Bytes that one token adds to all layers, as long as no window is full.
Index bytes_per_token(const mha::Model& model, Index bytes_a_number = 2);
Index bytes_per_token(const mha::LatentModel& model,
                      Index bytes_a_number = 2);

// Bytes of the cache of one sequence.
Index cache_bytes(const mha::Model& model, const Served& served, Index tokens);
Index cache_bytes(const mha::Model& model, Index tokens);
// [bytes]

// [weights]
Index parameters(const Served& served);
// Sequences of full length that fit beside the weights, on a card of 80e9
// bytes; -1 if the weights alone do not.
Index users(const Served& served);
Index cache_at_full_length(const Served& served);
// [weights]

// [printing sizes]
std::string grouped(Index n);  // 131072 as 131,072
void print_designs();
void print_models();
void print_windows();
void print_published();
// [printing sizes]

}  // namespace sizes
