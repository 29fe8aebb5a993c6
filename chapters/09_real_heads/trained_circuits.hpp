// Chapter 9: the sum, the circuits and the pooling of trained heads.
#pragma once

#include "many_texts.hpp"

#include <string>
#include <vector>

namespace trained {

// [wrote]
// What head h writes about a text: its columns of the concat times its rows of
// w_o (chapter 3).
template <typename Scalar>
Matrix<Scalar> written_by(const mha::LayerResult<Scalar>& result,
                          const mha::MultiHeadAttention<Scalar>& layer,
                          Index h) {
  return mha::head_of(result.heads, h, layer.d_head()) *
         layer.weights().w_o.middleRows(h * layer.d_head(), layer.d_head());
}
// [wrote]

// [spectrum]
enum class Circuit { qk, ov };

// The singular values of a head's circuit, in descending order: d_head of them.
std::vector<double> circuit_spectrum(const mha::LayerWeights<double>& weights,
                                     Index n_heads, Index h, Circuit circuit);

// How many equally strong directions would add up to as much: the sum of the
// squares over the largest square.
double stable_rank(const std::vector<double>& singular);
// [spectrum]

// [pooled]
// What a conversion to fewer key/value heads costs.
struct PooledError {
  double output[2];  // relative error of each layer's attention output
  double loss;       // 1 less the cosine of the embedding, both layers changed
};

enum class Kept { mean, first, random };

PooledError pooled_error(const Encoder<float>& encoder,
                         const std::vector<std::vector<Index>>& texts,
                         Index n_kv_heads, Kept kept);
// [pooled]

// [print circuits]
void print_written(const Model& model);
void print_circuits(const Model& model);
void print_pooled(const Model& model);
// [print circuits]

}  // namespace trained
