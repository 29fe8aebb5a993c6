// Chapter 8: one small kernel, and wrong ones that differ in one place.
#include "broken_kernels.hpp"

#include "kernel_parts.hpp"

#include <algorithm>

namespace KERNEL_NAMESPACE {

namespace {

// [small parts]
using cuda_port::KernelCase;
using cuda_port::Problem;

constexpr int threads = 64;  // of a block: a query each, and a key to load
constexpr int columns = 8;
using KeyTile = float[threads][columns];

struct Arrays {
  Index queries, keys;
  const float* q;
  const float* k;
  float* out;  // (queries): the highest score of each
};

__device__ inline Index this_query() {
  return static_cast<Index>(blockIdx.x) * threads + threadIdx.x;
}

__device__ inline void load_key(KeyTile& tile, const float* k, Index j) {
  for (int c = 0; c < columns; ++c) {
    tile[threadIdx.x][c] = k[j * columns + c];
  }
}

__device__ inline float best_of(const KeyTile& tile, Index count,
                                const float* query, float best) {
  for (Index j = 0; j < count; ++j) {
    float score = 0;
    for (int c = 0; c < columns; ++c) score += query[c] * tile[j][c];
    best = fmaxf(best, score);
  }
  return best;
}

__device__ inline Index in_tile(const Arrays& a, Index first) {
  return a.keys - first < threads ? a.keys - first : threads;
}
// [small parts]

// [right]
__global__ void right(Arrays a) {
  __shared__ KeyTile tile;
  const Index i = this_query();
  float best = -INFINITY;
  for (Index first = 0; first < a.keys; first += threads) {
    const Index j = first + threadIdx.x;
    if (j < a.keys) load_key(tile, a.k, j);
    __syncthreads();
    if (i < a.queries) {
      best = best_of(tile, in_tile(a, first), a.q + i * columns, best);
    }
    __syncthreads();
  }
  if (i < a.queries) a.out[i] = best;
}
// [right]

// [no-first-barrier]
__global__ void no_first_barrier(Arrays a) {
  __shared__ KeyTile tile;
  const Index i = this_query();
  float best = -INFINITY;
  for (Index first = 0; first < a.keys; first += threads) {
    const Index j = first + threadIdx.x;
    if (j < a.keys) load_key(tile, a.k, j);
    if (i < a.queries) {
      best = best_of(tile, in_tile(a, first), a.q + i * columns, best);
    }
    __syncthreads();
  }
  if (i < a.queries) a.out[i] = best;
}
// [no-first-barrier]

// [no-second-barrier]
__global__ void no_second_barrier(Arrays a) {
  __shared__ KeyTile tile;
  const Index i = this_query();
  float best = -INFINITY;
  for (Index first = 0; first < a.keys; first += threads) {
    const Index j = first + threadIdx.x;
    if (j < a.keys) load_key(tile, a.k, j);
    __syncthreads();
    if (i < a.queries) {
      best = best_of(tile, in_tile(a, first), a.q + i * columns, best);
    }
  }
  if (i < a.queries) a.out[i] = best;
}
// [no-second-barrier]

// [barrier-in-branch]
__global__ void barrier_in_branch(Arrays a) {
  __shared__ KeyTile tile;
  const Index i = this_query();
  float best = -INFINITY;
  for (Index first = 0; first < a.keys; first += threads) {
    const Index j = first + threadIdx.x;
    if (j < a.keys) load_key(tile, a.k, j);
    __syncthreads();
    if (i < a.queries) {
      best = best_of(tile, in_tile(a, first), a.q + i * columns, best);
      __syncthreads();
    }
  }
  if (i < a.queries) a.out[i] = best;
}
// [barrier-in-branch]

// [return-before-barrier]
__global__ void return_before_barrier(Arrays a) {
  __shared__ KeyTile tile;
  const Index i = this_query();
  if (i >= a.queries) return;
  float best = -INFINITY;
  for (Index first = 0; first < a.keys; first += threads) {
    const Index j = first + threadIdx.x;
    if (j < a.keys) load_key(tile, a.k, j);
    __syncthreads();
    best = best_of(tile, in_tile(a, first), a.q + i * columns, best);
    __syncthreads();
  }
  a.out[i] = best;
}
// [return-before-barrier]

// [two-barriers]
__global__ void two_barriers(Arrays a) {
  __shared__ KeyTile tile;
  const Index i = this_query();
  float best = -INFINITY;
  for (Index first = 0; first < a.keys; first += threads) {
    const Index j = first + threadIdx.x;
    if (j < a.keys) {
      load_key(tile, a.k, j);
      __syncthreads();
    } else {
      __syncthreads();
    }
    if (i < a.queries) {
      best = best_of(tile, in_tile(a, first), a.q + i * columns, best);
    }
    __syncthreads();
  }
  if (i < a.queries) a.out[i] = best;
}
// [two-barriers]

// [no-tail-mask]
__global__ void no_tail_mask(Arrays a) {
  __shared__ KeyTile tile;
  const Index i = this_query();
  float best = -INFINITY;
  for (Index first = 0; first < a.keys; first += threads) {
    const Index j = first + threadIdx.x;
    for (float& number : tile[threadIdx.x]) number = 0;
    if (j < a.keys) load_key(tile, a.k, j);
    __syncthreads();
    if (i < a.queries) {
      best = best_of(tile, threads, a.q + i * columns, best);
    }
    __syncthreads();
  }
  if (i < a.queries) a.out[i] = best;
}
// [no-tail-mask]

// [unguarded-load]
__global__ void unguarded_load(Arrays a) {
  __shared__ KeyTile tile;
  const Index i = this_query();
  float best = -INFINITY;
  for (Index first = 0; first < a.keys; first += threads) {
    load_key(tile, a.k, first + threadIdx.x);
    __syncthreads();
    if (i < a.queries) {
      best = best_of(tile, in_tile(a, first), a.q + i * columns, best);
    }
    __syncthreads();
  }
  if (i < a.queries) a.out[i] = best;
}
// [unguarded-load]

// [shuffle-in-branch]
// A warp for each query; its lanes share the keys out.
__global__ void shuffle_in_branch(Arrays a) {
  const Index i = blockIdx.x;
  float best = -INFINITY;
  for (Index j = threadIdx.x; j < a.keys; j += 32) {
    float score = 0;
    for (int c = 0; c < columns; ++c) {
      score += a.q[i * columns + c] * a.k[j * columns + c];
    }
    best = fmaxf(best, score);
    best = highest_of(best);  // belongs behind the loop
  }
  if (threadIdx.x == 0) a.out[i] = best;
}
// [shuffle-in-branch]

// [one-for-all]
// A thread for each query and key; `out` begins at a large negative number.
__global__ void one_for_all(Arrays a) {
  const Index n = static_cast<Index>(blockIdx.x) * threads + threadIdx.x;
  if (n >= a.queries * a.keys) return;
  const Index i = n / a.keys, j = n % a.keys;
  float score = 0;
  for (int c = 0; c < columns; ++c) {
    score += a.q[i * columns + c] * a.k[j * columns + c];
  }
  if (score > a.out[i]) a.out[i] = score;
}
// [one-for-all]

// [by rows]
// A thread for each query and key. Which thread has which is anybody's choice.
template <bool queries_first>
__global__ void all_scores(Arrays a, float* scores) {
  const Index n = static_cast<Index>(blockIdx.x) * threads + threadIdx.x;
  if (n >= a.queries * a.keys) return;
  const Index i = queries_first ? n % a.queries : n / a.keys;
  const Index j = queries_first ? n / a.queries : n % a.keys;
  float score = 0;
  for (int c = 0; c < columns; ++c) {
    score += a.q[i * columns + c] * a.k[j * columns + c];
  }
  scores[i * a.keys + j] = score;
}
// [by rows]

// [run a case]
// The problem's arrays on the device.
class OnDevice {
 public:
  explicit OnDevice(const Problem& problem, float before = NAN)
      : q_("q", problem.q),
        k_("k", problem.k),
        out_("out", std::vector<float>(problem.q.size() / columns, before)) {}

  Index queries() const { return q_.size() / columns; }
  Index keys() const { return k_.size() / columns; }
  Arrays arrays() {
    return {queries(), keys(), q_.data(), k_.data(), out_.data()};
  }
  std::vector<float> output() const { return out_.to_host(); }

 private:
  device::DeviceArray<float> q_, k_, out_;
};

device::LaunchShape shape(Index blocks, int block = threads) {
  return {{blocks}, {block}};
}

std::function<std::vector<float>(const Problem&)> run(
    const char* name, void (*kernel)(Arrays)) {
  return [=](const Problem& problem) {
    OnDevice on_device(problem);
    device::launch(name, kernel, shape(pieces(on_device.queries(), threads)),
                   on_device.arrays());
    return on_device.output();
  };
}
// [run a case]

// [floor-blocks]
std::vector<float> floor_blocks(const Problem& problem) {
  OnDevice on_device(problem);
  device::launch("right", right, shape(on_device.queries() / threads),
                 on_device.arrays());
  return on_device.output();
}
// [floor-blocks]

// [too-few-threads]
std::vector<float> too_few_threads(const Problem& problem) {
  OnDevice on_device(problem);
  device::launch("right", right,
                 shape(pieces(on_device.queries(), threads), threads / 2),
                 on_device.arrays());
  return on_device.output();
}
// [too-few-threads]

// [over-the-limit]
std::vector<float> over_the_limit(const Problem& problem) {
  OnDevice on_device(problem);
  // 32 queries, 32 keys and 32 values of 1024 columns, and 32 x 32 weights.
  constexpr std::size_t bytes = (3 * 32 * 1024 + 32 * 32) * sizeof(float);
  device::launch("right", right,
                 {{pieces(on_device.queries(), threads)}, {threads}, bytes},
                 on_device.arrays());
  return on_device.output();
}
// [over-the-limit]

// [other shapes]
std::vector<float> run_shuffles(const Problem& problem) {
  OnDevice on_device(problem);
  device::launch("shuffle_in_branch", shuffle_in_branch,
                 shape(on_device.queries(), 32), on_device.arrays());
  return on_device.output();
}

std::vector<float> run_one_for_all(const Problem& problem) {
  OnDevice on_device(problem, -1e30F);
  device::launch("one_for_all", one_for_all,
                 shape(pieces(on_device.queries() * on_device.keys(),
                              threads)),
                 on_device.arrays());
  return on_device.output();
}

template <bool queries_first>
std::vector<float> run_all_scores(const Problem& problem) {
  OnDevice on_device(problem);
  const Index count = on_device.queries() * on_device.keys();
  device::DeviceArray<float> scores("scores", count);
  device::launch(queries_first ? "scores by columns" : "scores by rows",
                 all_scores<queries_first>, shape(pieces(count, threads)),
                 on_device.arrays(), scores.data());
  const std::vector<float> all = scores.to_host();
  std::vector<float> highest;
  for (auto row = all.begin(); row != all.end(); row += on_device.keys()) {
    highest.push_back(*std::max_element(row, row + on_device.keys()));
  }
  return highest;
}
// [other shapes]

}  // namespace

// [cases]
std::vector<KernelCase> kernel_cases() {
  const char* race =
      "a barrier left out is a race, whatever the order of the threads";
  const char* barrier = "a barrier that only some threads reach is named";
  const char* numbers =
      "blocks rounded down, or no mask on the tail, give wrong numbers";
  return {
      {"right", "none", run("right", right)},
      {"no-first-barrier", "now and then a wrong row",
       run("no_first_barrier", no_first_barrier), {"L1"}, race},
      {"no-second-barrier", "now and then a wrong row",
       run("no_second_barrier", no_second_barrier), {"L1"}, race},
      {"barrier-in-branch", "right, wrong or never done",
       run("barrier_in_branch", barrier_in_branch), {"L1"}, barrier},
      {"return-before-barrier", "right, wrong or never done",
       run("return_before_barrier", return_before_barrier)},
      {"two-barriers", "right on some cards",
       run("two_barriers", two_barriers), {"L2"}, barrier},
      {"over-the-limit", "nothing is launched", over_the_limit, {"L5"},
       "shared memory over the limit is refused before the launch"},
      {"floor-blocks", "the last rows are never written", floor_blocks,
       {"L7"}, numbers},
      {"no-tail-mask", "wrong when the last tile is short",
       run("no_tail_mask", no_tail_mask), {"L7"}, numbers},
      // [cases]
      // [more cases]
      {"scores-by-rows", "none", run_all_scores<false>},
      {"scores-by-columns", "none: right, and slow", run_all_scores<true>},
      {"too-few-threads", "reads what nobody wrote", too_few_threads, {"L9"},
       "half the threads leave half the tile unwritten"},
      {"unguarded-load", "reads the next item, or past the end",
       run("unguarded_load", unguarded_load), {"L10"},
       "a load without a guard reads past the end"},
      {"shuffle-in-branch", "waits for lanes that are gone", run_shuffles},
      {"one-for-all", "a high score is lost", run_one_for_all},
  };
}
// [more cases]

}  // namespace KERNEL_NAMESPACE
