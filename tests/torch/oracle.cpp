#include "oracle.hpp"

#include <torch/torch.h>

#include <algorithm>
#include <limits>
#include <tuple>

namespace oracle {
namespace {

namespace F = torch::nn::functional;
using torch::Tensor;

// Between Eigen's types and PyTorch's.

template <typename Scalar>
Tensor to_tensor(const Matrix<Scalar>& m) {
  Tensor tensor = torch::empty({m.rows(), m.cols()},
                               c10::CppTypeToScalarType<Scalar>::value);
  std::copy_n(m.data(), m.size(), tensor.data_ptr<Scalar>());
  return tensor;
}

template <typename Scalar>
Matrix<Scalar> to_matrix(const Tensor& tensor) {
  const Tensor rows =
      tensor.detach().to(c10::CppTypeToScalarType<Scalar>::value).contiguous();
  const bool one_row = rows.dim() == 1;
  return Eigen::Map<const Matrix<Scalar>>(
      rows.data_ptr<Scalar>(), one_row ? 1 : rows.size(0),
      one_row ? rows.size(0) : rows.size(1));
}

torch::ScalarType dtype(Precision precision) {
  return precision == Precision::float32 ? torch::kFloat : torch::kDouble;
}

// (T, batch, d): the module's order, sequence first.
Tensor sequence_first(const std::vector<Matrix<float>>& items,
                      Precision precision) {
  std::vector<Tensor> tensors;
  for (const Matrix<float>& item : items) tensors.push_back(to_tensor(item));
  return torch::stack(tensors, 1).to(dtype(precision));
}

// (out, in), as PyTorch stores a matrix.
Tensor out_in(const Matrix<float>& w, Precision precision) {
  return to_tensor(w).transpose(0, 1).contiguous().to(dtype(precision));
}

Tensor bias_of(const RowVector<float>& b, Precision precision) {
  if (b.size() == 0) return {};
  return to_tensor(Matrix<float>(b)).squeeze(0).to(dtype(precision));
}

// The C++ module adds attn_mask to the scores, so that a boolean one would add
// 1 and hide nothing (Python replaces it by 0 and minus infinity first). Hence
// attn_mask is always a table of floats here.
Tensor attn_mask_of(const Masks& masks, Precision precision) {
  if (masks.attn_mask.size() == 0) return {};
  return to_tensor(masks.attn_mask).to(dtype(precision));
}

Tensor key_padding_mask_of(const Masks& masks) {
  const mha::BoolMatrix& hidden = masks.key_padding_mask;
  if (hidden.size() == 0) return {};
  const Matrix<float> ones = hidden.cast<float>();
  return to_tensor(ones).to(torch::kBool);
}

// output (T_q, batch, d_model), weights (batch, n_heads, T_q, T_k), average
// (batch, T_q, T_k).
std::vector<Item> split_items(const Tensor& output, const Tensor& weights,
                              const Tensor& average) {
  std::vector<Item> items;
  for (Index b = 0; b < output.size(1); ++b) {
    Item item{to_matrix<double>(output.select(1, b)),
              {},
              to_matrix<double>(average.select(0, b))};
    for (Index h = 0; h < weights.size(1); ++h) {
      item.weights.push_back(
          to_matrix<double>(weights.select(0, b).select(0, h)));
    }
    items.push_back(std::move(item));
  }
  return items;
}

// The module.

torch::nn::MultiheadAttention make_module(const Parameters& w, Index n_heads,
                                          Precision precision) {
  const Index d_model = w.w_q.rows();
  torch::nn::MultiheadAttention module(
      torch::nn::MultiheadAttentionOptions(d_model, n_heads)
          .bias(w.b_q.size() != 0)
          .kdim(w.w_k.rows())
          .vdim(w.w_v.rows()));
  module->to(dtype(precision));
  const torch::NoGradGuard parameters_are_only_set;
  const Tensor q = out_in(w.w_q, precision), k = out_in(w.w_k, precision),
               v = out_in(w.w_v, precision);
  if (module->_qkv_same_embed_dim) {
    module->in_proj_weight.copy_(torch::cat({q, k, v}));
  } else {
    module->q_proj_weight.copy_(q);
    module->k_proj_weight.copy_(k);
    module->v_proj_weight.copy_(v);
  }
  module->out_proj->weight.copy_(out_in(w.w_o, precision));
  if (w.b_q.size() != 0) {
    module->in_proj_bias.copy_(
        torch::cat({bias_of(w.b_q, precision), bias_of(w.b_k, precision),
                    bias_of(w.b_v, precision)}));
    module->out_proj->bias.copy_(bias_of(w.b_o, precision));
  }
  return module;
}

std::vector<Item> run_module(torch::nn::MultiheadAttention& module,
                             const Tensor& query, const Tensor& key,
                             const Tensor& value, const Tensor& padding,
                             const Tensor& attn_mask) {
  const torch::NoGradGuard no_grad;
  const auto call = [&](bool average) {
    return module->forward(query, key, value, padding, true, attn_mask,
                           average);
  };
  const auto [output, weights] = call(false);
  const auto [same_output, average] = call(true);
  return split_items(output, weights, average);
}

}  // namespace

std::vector<Item> layer(const Parameters& weights, Index n_heads,
                        const Batch& batch, const Masks& masks,
                        Precision precision) {
  torch::nn::MultiheadAttention module =
      make_module(weights, n_heads, precision);
  return run_module(module, sequence_first(batch.query, precision),
                    sequence_first(batch.key, precision),
                    sequence_first(batch.value, precision),
                    key_padding_mask_of(masks), attn_mask_of(masks, precision));
}

// The operations.

namespace {

// (T, batch, d_in) to (batch, n_heads, T, d_head).
Tensor project_to_heads(const Tensor& x, const Matrix<float>& w,
                        const RowVector<float>& b, Index n_heads,
                        Precision precision) {
  const Tensor y = F::linear(x, out_in(w, precision), bias_of(b, precision));
  return y.view({y.size(0), y.size(1), n_heads, -1}).permute({1, 2, 0, 3});
}

}  // namespace

std::vector<Item> layer_from_operations(const Parameters& w, Index n_heads,
                                        const Batch& batch, const Masks& masks,
                                        Precision precision) {
  const Tensor q = project_to_heads(sequence_first(batch.query, precision),
                                    w.w_q, w.b_q, n_heads, precision);
  const Tensor k = project_to_heads(sequence_first(batch.key, precision), w.w_k,
                                    w.b_k, n_heads, precision);
  const Tensor v = project_to_heads(sequence_first(batch.value, precision),
                                    w.w_v, w.b_v, n_heads, precision);
  Tensor scores = torch::matmul(q, k.transpose(-1, -2)) /
                  std::sqrt(static_cast<double>(q.size(-1)));
  const Tensor attn_mask = attn_mask_of(masks, precision);
  if (attn_mask.defined()) scores = scores + attn_mask;
  const Tensor padding = key_padding_mask_of(masks);
  if (padding.defined()) {
    scores = scores.masked_fill(padding.unsqueeze(1).unsqueeze(2),
                                -std::numeric_limits<double>::infinity());
  }
  const Tensor weights = torch::softmax(scores, -1);
  const Tensor context = torch::matmul(weights, v);
  const Tensor merged = context.permute({2, 0, 1, 3}).flatten(2);
  const Tensor output =
      F::linear(merged, out_in(w.w_o, precision), bias_of(w.b_o, precision));
  return split_items(output, weights, weights.mean(1));
}

// What PyTorch draws.

Fresh fresh_layer(std::uint64_t seed, Index d_model, Index n_heads,
                  Index tokens) {
  torch::manual_seed(seed);
  torch::nn::MultiheadAttention module(d_model, n_heads);
  const Tensor x = torch::randn({tokens, 1, d_model});
  Fresh fresh;
  fresh.x = to_matrix<float>(x.squeeze(1));
  fresh.item = run_module(module, x, x, x, {}, {}).front();

  Parameters& w = fresh.weights;
  const auto packed = module->in_proj_weight.chunk(3);
  w.w_q = to_matrix<float>(packed[0]).transpose();
  w.w_k = to_matrix<float>(packed[1]).transpose();
  w.w_v = to_matrix<float>(packed[2]).transpose();
  w.w_o = to_matrix<float>(module->out_proj->weight).transpose();
  const auto biases = module->in_proj_bias.chunk(3);
  w.b_q = to_matrix<float>(biases[0]);
  w.b_k = to_matrix<float>(biases[1]);
  w.b_v = to_matrix<float>(biases[2]);
  w.b_o = to_matrix<float>(module->out_proj->bias);
  return fresh;
}

std::vector<Matrix<float>> normals(std::uint64_t seed,
                                   const std::vector<Index>& sizes) {
  const at::Generator generator = at::detail::createCPUGenerator(seed);
  std::vector<Matrix<float>> results;
  for (const Index n : sizes) {
    results.push_back(to_matrix<float>(torch::randn({1, n}, generator)));
  }
  return results;
}

std::vector<Matrix<float>> uniforms(std::uint64_t seed,
                                    const std::vector<Index>& sizes, float low,
                                    float high) {
  const at::Generator generator = at::detail::createCPUGenerator(seed);
  std::vector<Matrix<float>> results;
  for (const Index n : sizes) {
    results.push_back(
        to_matrix<float>(torch::empty({1, n}).uniform_(low, high, generator)));
  }
  return results;
}

}  // namespace oracle
