#include "torch_attention.hpp"

#include <torch/torch.h>
#include <torch/version.h>

namespace bench {
namespace {

torch::Tensor tensor_on(const float* memory, const TorchCall& call) {
  // from_blob takes no const; it is only read.
  return torch::from_blob(const_cast<float*>(memory),
                          {call.heads, call.tokens, call.d_head});
}

void attend(const TorchCall& call) {
  const torch::NoGradGuard no_gradients;
  const torch::Tensor q = tensor_on(call.q, call), k = tensor_on(call.k, call),
                      v = tensor_on(call.v, call);
  const torch::Tensor weights =
      torch::softmax(torch::matmul(q * call.scale, k.transpose(1, 2)), -1);
  torch::from_blob(call.out, {call.heads, call.tokens, call.d_head})
      .copy_(torch::matmul(weights, v));
}

}  // namespace

Torch torch_with(int threads) {
  torch::set_num_threads(threads);
  return {TORCH_VERSION, attend};
}

}  // namespace bench
