#include "mha/kv_cache.hpp"

#include "mha/grouped_attention.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

// [openmp]
#ifdef _OPENMP
#include <omp.h>
#endif
// [openmp]

namespace mha {

// [cache floats]
Index cache_floats(const CacheShape& shape) {
  Index floats = 2;
  for (const auto& [name, n] :
       {std::pair{"batch", shape.batch}, {"n_kv_heads", shape.n_kv_heads},
        {"d_head", shape.d_head}, {"slots", shape.slots}}) {
    require(n >= 1, "{} = {}, but must be at least 1", name, n);
    require(floats <= std::numeric_limits<Index>::max() / n,
            "a cache of {} x {} heads x {} columns x {} slots does not fit in "
            "64 bits", shape.batch, shape.n_kv_heads, shape.d_head,
            shape.slots);
    floats *= n;
  }
  return floats;
}
// [cache floats]

// [make cache]
KvCache::KvCache(const CacheShape& shape, MemoryCount* count)
    : shape_(shape),
      k_(static_cast<std::size_t>(cache_floats(shape) / 2),
         CountedAllocator<float>(count)),
      v_(k_.size(), CountedAllocator<float>(count)),
      lengths_(static_cast<std::size_t>(shape.batch), 0) {}

void KvCache::check_item(Index item) const {
  require(item >= 0 && item < shape_.batch,
          "there is no item {} in a batch of {}", item, shape_.batch);
}

Index KvCache::length(Index item) const {
  check_item(item);
  return lengths_[static_cast<std::size_t>(item)];
}

Index KvCache::held(Index item) const {
  return std::min(length(item), shape_.slots);
}

void KvCache::clear(Index item) {
  check_item(item);
  lengths_[static_cast<std::size_t>(item)] = 0;
}
// [make cache]

// [offset]
// 64 bits: a large cache has more than 2^31 floats.
Index KvCache::offset(Index item, Index head, Index slot) const {
  return ((item * shape_.n_kv_heads + head) * shape_.slots + slot) *
         shape_.d_head;
}
// [offset]

// [append]
void KvCache::append(Index item, const RowVector<float>& k,
                     const RowVector<float>& v) {
  const Index position = length(item), d = shape_.d_head;
  const Index width = shape_.n_kv_heads * d;
  require(k.size() == width && v.size() == width,
          "keys have {} columns and values {}, but {} heads of {} need {}",
          k.size(), v.size(), shape_.n_kv_heads, d, width);
  require(position < shape_.slots ||
              shape_.when_full == WhenFull::overwrite_oldest,
          "item {} has {} tokens, and every slot is taken; make a larger "
          "cache, or one that overwrites the oldest", item, position);
  for (Index g = 0; g < shape_.n_kv_heads; ++g) {
    const Index to = offset(item, g, slot_of(position));
    std::copy_n(k.data() + g * d, d, k_.data() + to);
    std::copy_n(v.data() + g * d, d, v_.data() + to);
  }
  ++lengths_[static_cast<std::size_t>(item)];
}
// [append]

// [runs]
// A ring that has gone round begins behind the newest token, runs to the end
// of its memory, and goes on at the start.
std::vector<KeyValueRun> KvCache::runs(Index item, Index head) const {
  require(head >= 0 && head < shape_.n_kv_heads,
          "there is no key/value head {} among {}", head, shape_.n_kv_heads);
  const Index here = held(item);
  const Index oldest = slot_of(length(item) - here);
  const Index first = std::min(here, shape_.slots - oldest);
  const auto run = [&](Index slot, Index tokens) {
    const Index at = offset(item, head, slot);
    return KeyValueRun{k_.data() + at, v_.data() + at, tokens};
  };
  std::vector<KeyValueRun> all;
  if (first > 0) all.push_back(run(oldest, first));
  if (here > first) all.push_back(run(0, here - first));
  return all;
}
// [runs]

namespace {

// [pieces]
// Keys that are attended to at a time. Pieces are merged afterwards, so that
// several threads can share one sequence, and their scores stay near them.
constexpr Index keys_in_piece = 4096;

// The part of up to two runs from key `from` on, at most one piece.
std::vector<KeyValueRun> piece_of(const std::vector<KeyValueRun>& runs,
                                  Index from, Index d) {
  std::vector<KeyValueRun> piece;
  Index begin = 0;  // of the run, among all keys
  for (const KeyValueRun& run : runs) {
    const Index first = std::max(from - begin, Index{0});
    const Index end = std::min(from + keys_in_piece - begin, Index{run.tokens});
    if (first < end) {
      piece.push_back({run.k + first * d, run.v + first * d, end - first});
    }
    begin += run.tokens;
  }
  return piece;
}
// [pieces]

// [merge pieces]
// Softmax over all keys from softmaxes over pieces of them: each output counts
// for what its weights added up to, all to one base.
// parts: (pieces, n_heads); outputs: (pieces, n_heads d)
RowVector<float> merged(const std::vector<SoftmaxPart>& parts,
                        const Matrix<float>& outputs, Index n_heads) {
  if (outputs.rows() == 1) return outputs.row(0);
  const Index d = outputs.cols() / n_heads;
  RowVector<float> out = RowVector<float>::Zero(outputs.cols());
  for (Index h = 0; h < n_heads; ++h) {
    const auto part = [&](Index p) {
      return parts[static_cast<std::size_t>(p * n_heads + h)];
    };
    float highest = part(0).highest, total = 0;
    for (Index p = 1; p < outputs.rows(); ++p) {
      highest = std::max(highest, part(p).highest);
    }
    for (Index p = 0; p < outputs.rows(); ++p) {
      const float weight =
          part(p).total * std::exp2(part(p).highest - highest);
      total += weight;
      out.segment(h * d, d) += weight * outputs.row(p).segment(h * d, d);
    }
    out.segment(h * d, d) /= total;
  }
  return out;
}
// [merge pieces]

}  // namespace

// [decode]
RowVector<float> decode(const KvCache& cache, Index item,
                        const RowVector<float>& q, Index n_heads, float scale,
                        int threads) {
  const Index n_kv_heads = cache.shape().n_kv_heads, d = cache.shape().d_head;
  kv_head_of(0, n_heads, n_kv_heads);  // the two numbers fit
  require(q.size() == n_heads * d,
          "queries have {} columns, but {} heads of {} need {}", q.size(),
          n_heads, d, n_heads * d);
  require(threads >= 1, "there are {} threads, but at least 1 is needed",
          threads);
  const Index group = n_heads / n_kv_heads, held = cache.held(item);
  const Index pieces = std::max((held + keys_in_piece - 1) / keys_in_piece,
                                Index{1});
  std::vector<std::vector<KeyValueRun>> runs;  // (n_kv_heads, pieces)
  for (Index g = 0; g < n_kv_heads; ++g) {
    for (Index p = 0; p < pieces; ++p) {
      runs.push_back(piece_of(cache.runs(item, g), p * keys_in_piece, d));
    }
  }
  // [decode]
  // [decode threads]
  const Index floats = group * scores_stride(std::min(held, keys_in_piece));
  std::vector<float, CountedAllocator<float>> scores(
      static_cast<std::size_t>(threads * floats));
  std::vector<SoftmaxPart> parts(static_cast<std::size_t>(pieces * n_heads));
  Matrix<float> outputs(pieces, q.size());
  const GroupKernel kernel = group_kernel_for(0);
  const auto attend = [&](Index n, float* mine) {
    const Index first = n / pieces * group, p = n % pieces;  // of its queries
    const auto& of = runs[static_cast<std::size_t>(n)];
    kernel.attend(
        {.q = q.data() + first * d, .heads = group, .d_head = d,
         .scale = scale, .runs = of.data(), .n_runs = std::ssize(of),
         .scores = mine, .out = &outputs(p, first * d),
         .parts = &parts[static_cast<std::size_t>(p * n_heads + first)]});
  };
#ifdef _OPENMP
#pragma omp parallel for schedule(dynamic) num_threads(threads)
  for (Index n = 0; n < n_kv_heads * pieces; ++n) {
    attend(n, scores.data() + omp_get_thread_num() * floats);
  }
#else
  for (Index n = 0; n < n_kv_heads * pieces; ++n) attend(n, scores.data());
#endif
  return merged(parts, outputs, n_heads);
}
// [decode threads]

// [feed]
Matrix<float> feed(KvCache& cache, Index item, const Matrix<float>& q,
                   const Matrix<float>& k, const Matrix<float>& v,
                   Index n_heads, float scale) {
  const CacheShape& shape = cache.shape();
  require(q.rows() == k.rows() && q.rows() == v.rows(),
          "there are {} queries, but {} keys and {} values", q.rows(),
          k.rows(), v.rows());
  require(shape.when_full == WhenFull::overwrite_oldest ||
              q.rows() <= shape.slots - cache.length(item),
          "{} new tokens do not fit behind {}: the cache has {} slots",
          q.rows(), cache.length(item), shape.slots);
  const Index width = shape.n_kv_heads * shape.d_head;
  require(k.cols() == width && v.cols() == width &&
              q.cols() == n_heads * shape.d_head,
          "queries have {} columns, keys {} and values {}; {} heads of {} on "
          "{} need {}, {} and {}", q.cols(), k.cols(), v.cols(), n_heads,
          shape.d_head, shape.n_kv_heads, n_heads * shape.d_head, width,
          width);
  kv_head_of(0, n_heads, shape.n_kv_heads);
  // [feed]
  // [feed tokens]
  Matrix<float> out(q.rows(), q.cols());
  for (Index t = 0; t < q.rows(); ++t) {
    cache.append(item, k.row(t), v.row(t));
    out.row(t) = decode(cache, item, q.row(t), n_heads, scale);
  }
  return out;
}
// [feed tokens]

}  // namespace mha
