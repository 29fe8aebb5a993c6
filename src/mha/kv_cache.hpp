/// \file kv_cache.hpp
/// The keys and values of tokens that were read, kept for those to come
/// (chapter 6).
#pragma once

#include "mha/counted_memory.hpp"
#include "mha/group_kernel.hpp"
#include "mha/matrix.hpp"

#include <vector>

namespace mha {

// [cache shape]
/// What a cache does with a token when every slot is taken.
enum class WhenFull {
  refuse,            ///< throws
  overwrite_oldest,  ///< a ring: what is left is a window of `slots` tokens
};

/// Everything that the size of one layer's cache depends on. The number of
/// query heads is not among it.
struct CacheShape {
  Index batch = 1;       ///< items, each with a length of its own
  Index n_kv_heads = 1;  ///< heads with keys and values, G
  Index d_head = 1;      ///< columns of a key, and of a value
  Index slots = 1;       ///< tokens an item has room for
  WhenFull when_full = WhenFull::refuse;  ///< with a token too many
};

/// \param shape  of a cache
/// \return its floats: 2 batch G slots d_head
/// \throws std::invalid_argument when a size is below 1, or the product does
///         not fit in 64 bits
Index cache_floats(const CacheShape& shape);
// [cache shape]

// [kv cache]
/// The cache of one layer, in float32. Memory is (batch, G, slots, d_head),
/// keys and values apart, so that what a head reads lies row under row.
/// Positions count from 0 and never wrap; slots may.
class KvCache {
 public:
  /// \param shape  its sizes
  /// \param count  counts what is allocated; must outlive the cache, or null
  /// \throws std::invalid_argument as cache_floats(); std::bad_alloc
  explicit KvCache(const CacheShape& shape, MemoryCount* count = nullptr);

  /// \return its sizes
  const CacheShape& shape() const { return shape_; }

  /// \param item  of the batch
  /// \return tokens it was given so far: the position of the next one
  Index length(Index item) const;

  /// \param item  of the batch
  /// \return tokens that are still there
  Index held(Index item) const;

  /// \param position  of a token
  /// \return its slot, 0 to slots - 1
  Index slot_of(Index position) const { return position % shape_.slots; }

  /// Writes one token behind the last.
  /// \param item  of the batch
  /// \param k     (1, G d_head) its keys, head after head
  /// \param v     (1, G d_head) its values
  /// \throws std::invalid_argument when the widths do not fit, or every slot
  ///         is taken and the cache refuses
  void append(Index item, const RowVector<float>& k,
              const RowVector<float>& v);

  /// Forgets an item's tokens, and keeps the memory.
  /// \param item  of the batch
  void clear(Index item);

  /// \param item  of the batch
  /// \param head  key/value head
  /// \return the rows held, oldest first, in one run or two
  std::vector<KeyValueRun> runs(Index item, Index head) const;

 private:
  Index offset(Index item, Index head, Index slot) const;
  void check_item(Index item) const;

  CacheShape shape_;
  std::vector<float, CountedAllocator<float>> k_, v_;
  std::vector<Index> lengths_;
};
// [kv cache]

// [decode]
/// Softmax attention of one token's queries over everything an item holds.
/// Each key and value is read once for all the query heads that share it. The
/// number of threads changes no bit of the result.
/// \param cache    of the layer
/// \param item     of the batch
/// \param q        (1, n_heads d_head) queries
/// \param n_heads  query heads, a multiple of G
/// \param scale    factor on the dot products
/// \param threads  that share the work, where there is OpenMP: key/value heads,
///                 and pieces of 4096 keys
/// \return (1, n_heads d_head): zeros when nothing is held
/// \throws std::invalid_argument when widths or heads do not fit, or there are
///         fewer than one thread
RowVector<float> decode(const KvCache& cache, Index item,
                        const RowVector<float>& q, Index n_heads, float scale,
                        int threads = 1);

/// Takes in new tokens one after the other, and lets the queries of each read
/// what is there by then: the causal corner is bottom-right.
/// \param cache    of the layer
/// \param item     of the batch
/// \param q        (T, n_heads d_head) queries of the new tokens
/// \param k        (T, G d_head) their keys
/// \param v        (T, G d_head) their values
/// \param n_heads  query heads, a multiple of G
/// \param scale    factor on the dot products
/// \return (T, n_heads d_head)
/// \throws std::invalid_argument when shapes do not fit, or there is no room
///         for all of them; nothing is written then
Matrix<float> feed(KvCache& cache, Index item, const Matrix<float>& q,
                   const Matrix<float>& k, const Matrix<float>& v,
                   Index n_heads, float scale);
// [decode]

}  // namespace mha
