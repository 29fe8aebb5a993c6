/// \file oracle.hpp
/// What PyTorch's C++ library makes of the same numbers, in Eigen's types.
/// Only oracle.cpp includes torch/torch.h: it defines a CHECK of its own, costs
/// half a minute a file, and is not C++20 to clang. Nothing of what is tested
/// is included here: not the library's layer, not its generator.
#pragma once

#include "mha/matrix.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace oracle {

using mha::Index;
using mha::Matrix;
using mha::RowVector;

/// The parameters of a layer: y = x W + b. An empty bias stands for none.
struct Parameters {
  Matrix<float> w_q;                    ///< (d_model, d_model)
  Matrix<float> w_k;                    ///< (d_key, d_model)
  Matrix<float> w_v;                    ///< (d_value, d_model)
  Matrix<float> w_o;                    ///< (d_model, d_model)
  RowVector<float> b_q, b_k, b_v, b_o;  ///< (d_model) each
};

/// The precision that PyTorch computes in.
enum class Precision { float32, float64 };

/// The input of a layer, one matrix an item. All items have the same shapes.
struct Batch {
  std::vector<Matrix<float>> query;  ///< (T_q, d_model) each
  std::vector<Matrix<float>> key;    ///< (T_k, d_key) each
  std::vector<Matrix<float>> value;  ///< (T_k, d_value) each
};

/// What is hidden, as PyTorch takes it. An empty matrix hides nothing.
struct Masks {
  Matrix<float> attn_mask;           ///< (T_q, T_k): added to the scores
  mha::BoolMatrix key_padding_mask;  ///< (batch, T_k): true hides the key
};

/// What PyTorch made of one item.
struct Item {
  Matrix<double> output;                ///< (T_q, d_model)
  std::vector<Matrix<double>> weights;  ///< n_heads times (T_q, T_k)
  Matrix<double> average;               ///< (T_q, T_k): mean over the heads
};

/// torch::nn::MultiheadAttention with these parameters.
/// \param weights    of the layer
/// \param n_heads    divides d_model
/// \param batch      d_key must equal d_value: libtorch 1.13 asserts it
/// \param masks      what is hidden
/// \param precision  of the computation
/// \return one result an item
std::vector<Item> layer(const Parameters& weights, Index n_heads,
                        const Batch& batch, const Masks& masks,
                        Precision precision);

/// The same from PyTorch's operations linear, bmm and softmax, for what the
/// module refuses in C++: d_key != d_value.
/// \param weights    of the layer
/// \param n_heads    divides d_model
/// \param batch      the input
/// \param masks      what is hidden
/// \param precision  of the computation
/// \return one result an item
std::vector<Item> layer_from_operations(const Parameters& weights,
                                        Index n_heads, const Batch& batch,
                                        const Masks& masks,
                                        Precision precision);

/// A layer and an input as they come after torch.manual_seed(seed).
struct Fresh {
  Parameters weights;
  Matrix<float> x;  ///< (tokens, d_model), drawn right after the layer
  Item item;        ///< the layer's result for x
};

/// \param seed     given to torch::manual_seed
/// \param d_model  width of a token
/// \param n_heads  divides d_model
/// \param tokens   rows of x
/// \return what torch::nn::MultiheadAttention(d_model, n_heads) drew and gave
Fresh fresh_layer(std::uint64_t seed, Index d_model, Index n_heads,
                  Index tokens);

/// \param seed   of a new generator
/// \param sizes  one call each, in this order
/// \return torch::randn(n, generator) for every n
std::vector<Matrix<float>> normals(std::uint64_t seed,
                                   const std::vector<Index>& sizes);

/// \param seed   of a new generator
/// \param sizes  one call each, in this order
/// \param low    least value
/// \param high   upper end
/// \return torch::empty(n).uniform_(low, high, generator) for every n
std::vector<Matrix<float>> uniforms(std::uint64_t seed,
                                    const std::vector<Index>& sizes, float low,
                                    float high);

}  // namespace oracle
