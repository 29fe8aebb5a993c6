// Chapter 8: a thread for each number, in three kernels.
#include "attention_kernels.hpp"
#include "kernel_parts.hpp"

namespace KERNEL_NAMESPACE {

// [this thread]
// The number of this thread among all of the launch.
__device__ inline Index this_thread() {
  return static_cast<Index>(blockIdx.x) * blockDim.x + threadIdx.x;
}
// [this thread]

// [scores kernel]
// scores: (batch, heads, queries, keys). A thread for each.
__global__ void scores_kernel(Sizes s, const float* q, const float* k,
                              float* scores) {
  const Index n = this_thread();
  if (n >= s.batch * s.heads * s.queries * s.keys) return;
  const Index j = n % s.keys;
  const Index i = n / s.keys % s.queries;
  const Index h = n / s.keys / s.queries % s.heads;
  const Index b = n / s.keys / s.queries / s.heads;
  const float* query = q + query_at(s, b, i, h);
  const float* key = k + key_at(s, b, j, h / (s.heads / s.kv_heads));
  float sum = 0;
  for (Index c = 0; c < s.width; ++c) {
    const float of_query = query[c];
    const float of_key = key[c];
    sum += of_query * of_key;
  }
  scores[n] = sees(s, i, j) ? sum * s.scale : -INFINITY;
}
// [scores kernel]

// [softmax kernel]
// In place. A thread for each row of `keys` numbers.
__global__ void softmax_kernel(Sizes s, float* scores) {
  const Index n = this_thread();
  if (n >= s.batch * s.heads * s.queries) return;
  float* row = scores + n * s.keys;
  float highest = -INFINITY;
  for (Index j = 0; j < s.keys; ++j) highest = higher(highest, row[j]);
  float total = 0;
  for (Index j = 0; j < s.keys; ++j) {
    row[j] = highest == -INFINITY ? 0 : expf(row[j] - highest);
    total += row[j];
  }
  for (Index j = 0; j < s.keys; ++j) {
    row[j] = total == 0 ? 0 : row[j] / total;  // a row that sees no key
  }
}
// [softmax kernel]

// [context kernel]
// A thread for each number of the output.
__global__ void context_kernel(Sizes s, const float* weights, const float* v,
                               float* out) {
  const Index n = this_thread();
  if (n >= s.batch * s.queries * s.heads * s.width) return;
  const Index c = n % s.width;
  const Index h = n / s.width % s.heads;
  const Index i = n / s.width / s.heads % s.queries;
  const Index b = n / s.width / s.heads / s.queries;
  const float* row = weights + ((b * s.heads + h) * s.queries + i) * s.keys;
  float sum = 0;
  for (Index j = 0; j < s.keys; ++j) {
    if (!sees(s, i, j)) break;
    const float weight = row[j];
    const float value = v[key_at(s, b, j, h / (s.heads / s.kv_heads)) + c];
    sum += weight * value;
  }
  out[n] = sum;
}
// [context kernel]

// [three launches]
Index scores_of(const Sizes& s) {
  return s.batch * s.heads * s.queries * s.keys;
}

// As many blocks as it takes to have a thread for each of `count`.
device::LaunchShape threads_for(Index count) {
  constexpr Index threads = 128;
  return {{pieces(count, threads)}, {threads}};
}

void three_kernels(const DeviceCall<float>& call) {
  const Sizes& s = call.sizes;
  device::launch("scores_kernel", scores_kernel, threads_for(scores_of(s)), s,
                 call.q, call.k, call.scratch);
  device::launch("softmax_kernel", softmax_kernel,
                 threads_for(s.batch * s.heads * s.queries), s, call.scratch);
  device::launch("context_kernel", context_kernel,
                 threads_for(s.batch * s.queries * s.heads * s.width), s,
                 call.scratch, call.v, call.out);
}
// [three launches]

}  // namespace KERNEL_NAMESPACE
