#include "mha/kv_cache.hpp"

#include "mha/grouped_attention.hpp"

#include <algorithm>
#include <array>
#include <limits>

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

// [decode]
RowVector<float> decode(const KvCache& cache, Index item,
                        const RowVector<float>& q, Index n_heads,
                        float scale) {
  const Index n_kv_heads = cache.shape().n_kv_heads, d = cache.shape().d_head;
  kv_head_of(0, n_heads, n_kv_heads);  // the two numbers fit
  require(q.size() == n_heads * d,
          "queries have {} columns, but {} heads of {} need {}", q.size(),
          n_heads, d, n_heads * d);
  const Index group = n_heads / n_kv_heads;
  std::vector<float, CountedAllocator<float>> scores(
      static_cast<std::size_t>(group * scores_stride(cache.held(item))));
  RowVector<float> out(q.size());
  for (Index g = 0; g < n_kv_heads; ++g) {
    const std::vector<KeyValueRun> runs = cache.runs(item, g);
    const Index first = g * group * d;  // of the group's columns
    attend_group(q.data() + first, group, d, scale, runs.data(),
                 std::ssize(runs), scores.data(), out.data() + first);
  }
  return out;
}
// [decode]

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
