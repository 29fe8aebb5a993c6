#include "cache_sizes.hpp"
#include "head_pooling.hpp"
#include "step_cache.hpp"

#include "mha/kv_cache.hpp"
#include "mha/measure.hpp"
#include "mha/product_kernel.hpp"

#include <doctest/doctest.h>

#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <memory>

namespace {

// [names in claims]
using mha::Index;
using mha::KvCache;
using mha::Matrix;
using mha::WhenFull;

// Two float32 results whose every sum was made in the same order.
bool same_bits(const Matrix<float>& a, const Matrix<float>& b) {
  return a.rows() == b.rows() && a.cols() == b.cols() &&
         (a.array() == b.array()).all();
}
// [names in claims]

// [some tokens]
struct Tokens {
  Matrix<float> q, k, v;  // 6 query heads on 2, of 8 columns
};

Tokens some_tokens(std::uint32_t seed, Index tokens) {
  mha::TorchGenerator generator(seed);
  return {generator.normal(tokens, 6 * 8), generator.normal(tokens, 2 * 8),
          generator.normal(tokens, 2 * 8)};
}

constexpr float scale = 0.35355339F;  // 1 / sqrt(8)

// Feeds the tokens from `from` on, `count` of them, to item `item`.
Matrix<float> feed(KvCache& cache, Index item, const Tokens& x, Index from,
                   Index count) {
  return mha::feed(cache, item, x.q.middleRows(from, count),
                   x.k.middleRows(from, count), x.v.middleRows(from, count), 6,
                   scale);
}
// [some tokens]

// [library session]
// The library's cache, before the battery. It is made when the first piece
// says how large it has to be.
mha::CacheSession library_session() {
  const auto cache = std::make_shared<std::unique_ptr<KvCache>>();
  return [cache](const mha::AttentionCall& piece) {
    const Index d = mha::d_head_of(piece), tokens = mha::tokens_of(piece);
    if (!*cache) {
      *cache = std::make_unique<KvCache>(
          mha::CacheShape{piece.batch, piece.n_kv_heads, d, 400});
    }
    const double factor = piece.options.scale.value_or(
        1 / std::sqrt(static_cast<double>(d)));
    Matrix<double> out(piece.q.rows(), piece.q.cols());
    for (Index b = 0; b < piece.batch; ++b) {
      const auto rows = [&](const Matrix<double>& all) {
        return all.middleRows(b * tokens, tokens).cast<float>().eval();
      };
      out.middleRows(b * tokens, tokens) =
          mha::feed(**cache, b, rows(piece.q), rows(piece.k), rows(piece.v),
                    piece.n_heads, static_cast<float>(factor))
              .cast<double>();
    }
    return out;
  };
}
// [library session]

// [sized by query heads]
// The mistake: slots for every query head, of which G / H are used.
mha::CacheShape sized_by_query_heads(mha::CacheShape shape, Index n_heads) {
  shape.n_kv_heads = n_heads;
  return shape;
}
// [sized by query heads]

// [offset in 32 bits]
// The mistake: the product is worked out in 32 bits. (Unsigned and then turned
// round, since an overflow of int has no defined result.)
std::int32_t offset_in_32_bits(std::uint32_t item, std::uint32_t heads,
                               std::uint32_t slots, std::uint32_t d_head) {
  return static_cast<std::int32_t>(item * heads * slots * d_head);
}
// [offset in 32 bits]

// [window counts]
// How many keys query i sees if a window of W is read in either way.
Index keys_in_window(Index i, Index window) {  // the last W, its own included
  return std::min(i + 1, window);
}
Index keys_between(Index i, Index window) {  // from i - W to i
  return std::min(i + 1, window + 1);
}

// A window of W on both sides together, W / 2 on each: pairs that are scored.
Index two_sided_pairs(Index tokens, Index window) {
  mha::require(window % 2 == 0, "a window of {} on both sides must be even",
               window);
  Index pairs = 0;
  for (Index i = 0; i < tokens; ++i) {
    const Index from = std::max<Index>(0, i - window / 2);
    pairs += std::min(tokens - 1, i + window / 2) - from + 1;
  }
  return pairs;
}
// [window counts]

// [every k-th head]
// The mistake: heads that stand apart are averaged.
Matrix<float> pool_every_kth(const Matrix<float>& w, Index n_heads,
                             Index n_kv_heads) {
  const Index d = w.cols() / n_heads, group = n_heads / n_kv_heads;
  Matrix<float> out = Matrix<float>::Zero(w.rows(), n_kv_heads * d);
  for (Index h = 0; h < n_heads; ++h) {
    mha::head_of(out, h % n_kv_heads, d) +=
        mha::head_of(w, h, d) / static_cast<float>(group);
  }
  return out;
}
// [every k-th head]

// [work of a decode]
// What a decode with `n_heads` query heads goes through: bytes in the runs that
// the cache hands out, and a multiplication and an addition for every number
// in them and every query head that meets it.
struct Work {
  Index operations = 0, bytes = 0;
};

Work work_of(const KvCache& cache, Index n_heads) {
  const mha::CacheShape& shape = cache.shape();
  Work work;
  for (Index g = 0; g < shape.n_kv_heads; ++g) {
    for (const mha::KeyValueRun& run : cache.runs(0, g)) {
      const Index numbers = 2 * run.tokens * shape.d_head;
      work.bytes += numbers * 4;
      work.operations += 2 * numbers * (n_heads / shape.n_kv_heads);
    }
  }
  return work;
}

KvCache filled(Index n_kv_heads, Index tokens) {
  KvCache cache({1, n_kv_heads, 16, tokens});
  const auto row = mha::RowVector<float>::Ones(n_kv_heads * 16).eval();
  for (Index t = 0; t < tokens; ++t) cache.append(0, row, row);
  return cache;
}
// [work of a decode]

}  // namespace

TEST_CASE("the library's cache passes every check that a cache can be asked") {
  mha::Abilities can;
  can.epsilon = 0x1p-23;
  can.infinite_scores = false;  // infinity less infinity
  const mha::BatteryReport report =
      mha::check_cached_attention(library_session, can);
  CHECK_MESSAGE(report.passed(), report);
  CHECK(report.made() >= 20);
}

TEST_CASE("repeated heads give what shared heads give, bit for bit") {
  for (const Index kv : {1, 2, 3, 6}) {
    mha::TorchGenerator generator(1);
    const Matrix<float> q = generator.normal(5, 6 * 4);
    const Matrix<float> k = generator.normal(7, kv * 4);
    const Matrix<float> v = generator.normal(7, kv * 4);
    CHECK(same_bits(
        mha::grouped_attention(q, k, v, 6, kv),
        mha::grouped_attention(q, mha::repeat_heads(k, 6, kv),
                               mha::repeat_heads(v, 6, kv), 6, 6)));
  }
}

TEST_CASE("the memory counts 2 B G T d_head floats, whatever the query heads") {
  for (const Index kv : {32, 8, 1}) {
    mha::MemoryCount count;
    const KvCache cache({2, kv, 128, 64}, &count);
    CHECK(count.now == 2 * 2 * kv * 64 * 128 * 4);
    const mha::CacheShape wrong = sized_by_query_heads(cache.shape(), 32);
    CHECK(4 * mha::cache_floats(wrong) == 32 / kv * count.now);
  }
}

TEST_CASE("a prompt at once and token by token give the same, bit for bit") {
  const Tokens x = some_tokens(2, 40);
  for (const Index prompt : {1, 7, 39, 40}) {
    KvCache once({1, 2, 8, 40}), stepwise({1, 2, 8, 40});
    const Matrix<float> whole = feed(once, 0, x, 0, 40);
    CHECK(same_bits(feed(stepwise, 0, x, 0, prompt), whole.topRows(prompt)));
    for (Index t = prompt; t < 40; ++t) {
      CHECK(same_bits(feed(stepwise, 0, x, t, 1), whole.row(t)));
    }
  }
}

TEST_CASE("at every step a cache gives what attention gives without one") {
  const Tokens x = some_tokens(3, 30);
  KvCache cache({1, 2, 8, 30});
  for (Index t = 0; t < 30; ++t) {
    const Matrix<double> expected = mha::grouped_attention<double>(
        x.q.row(t).cast<double>(), x.k.topRows(t + 1).cast<double>(),
        x.v.topRows(t + 1).cast<double>(), 6, 2);
    // 8 products and 30 weights, each rounded to 24 bits.
    CHECK(mha::max_abs_difference(feed(cache, 0, x, t, 1), expected) <= 1e-5);
  }
}

TEST_CASE("a ring of W slots gives what a window of W keys gives") {
  const Tokens x = some_tokens(4, 30);
  for (const Index window : {1, 3, 8, 30}) {
    KvCache ring({1, 2, 8, window, WhenFull::overwrite_oldest});
    const Matrix<float> got = feed(ring, 0, x, 0, 30);
    for (Index t = 0; t < 30; ++t) {
      const Index from = std::max<Index>(0, t + 1 - window);
      KvCache only({1, 2, 8, window});  // the window's tokens and no others
      for (Index j = from; j <= t; ++j) {
        only.append(0, x.k.row(j), x.v.row(j));
      }
      CHECK(same_bits(mha::decode(only, 0, x.q.row(t), 6, scale), got.row(t)));
    }
  }
}

TEST_CASE("a ring takes the memory of its window, and positions go on") {
  mha::MemoryCount count;
  KvCache ring({1, 2, 8, 16, WhenFull::overwrite_oldest}, &count);
  const Tokens x = some_tokens(5, 100);
  feed(ring, 0, x, 0, 100);
  CHECK(count.now == 2 * 2 * 16 * 8 * 4);
  CHECK(ring.length(0) == 100);
  CHECK(ring.held(0) == 16);
}

TEST_CASE("5, 7 and 2 tokens behind 0, 1 and 3 go where the reference puts "
          "them") {
  // Slots of all items counted through, as mistral-inference does.
  const KvCache ring({3, 1, 1, 3, WhenFull::overwrite_oldest});
  std::vector<Index> slots;
  for (const auto& [item, seen, fed] :
       {std::array<Index, 3>{0, 0, 5}, {1, 1, 7}, {2, 3, 2}}) {
    for (Index p = seen + std::max<Index>(0, fed - 3); p < seen + fed; ++p) {
      slots.push_back(3 * item + ring.slot_of(p));
    }
  }
  CHECK(slots == std::vector<Index>{2, 0, 1, 5, 3, 4, 6, 7});
}

TEST_CASE("items of different lengths are served without padding") {
  const std::array<Tokens, 3> x = {some_tokens(6, 5), some_tokens(7, 1),
                                   some_tokens(8, 9)};
  KvCache batch({3, 2, 8, 9});
  for (Index b = 0; b < 3; ++b) {
    const Tokens& mine = x[static_cast<std::size_t>(b)];
    KvCache alone({1, 2, 8, 9});
    const Index n = mine.q.rows();
    CHECK(same_bits(feed(batch, b, mine, 0, n), feed(alone, 0, mine, 0, n)));
  }
  for (const auto& [item, n] :
       {std::pair<Index, Index>{0, 5}, {1, 1}, {2, 9}}) {
    CHECK(batch.length(item) == n);
  }
}

TEST_CASE("new queries behind a cache see the bottom-right corner") {
  const Tokens x = some_tokens(9, 5);
  KvCache cache({1, 2, 8, 5});
  feed(cache, 0, x, 0, 3);
  const Matrix<float> got = feed(cache, 0, x, 3, 2);
  const auto cornered = [&](mha::Causal causal) {
    mha::AttentionOptions options;
    options.causal = causal;
    return mha::grouped_attention<double>(
        x.q.bottomRows(2).cast<double>(), x.k.cast<double>(),
        x.v.cast<double>(), 6, 2, options);
  };
  CHECK(mha::max_abs_difference(got, cornered(mha::Causal::bottom_right)) <=
        1e-5);
  CHECK(mha::max_abs_difference(got, cornered(mha::Causal::top_left)) > 0.1);
}

TEST_CASE("the corners agree where there are as many queries as keys") {
  mha::AttentionOptions left, right;
  left.causal = mha::Causal::top_left;
  right.causal = mha::Causal::bottom_right;
  for (const Index n : {1, 2, 7}) {
    CHECK((mha::visible_keys(left, n, n) == mha::visible_keys(right, n, n))
              .all());
    CHECK((mha::visible_keys(left, n, n + 1) !=
           mha::visible_keys(right, n, n + 1)).any());
  }
}

TEST_CASE("offsets into a large cache are worked out in 64 bits") {
  // 64 items, 32 heads, 8,192 slots of 128: item 63 begins beyond 2^31.
  CHECK(mha::cache_floats({63, 32, 128, 8192}) / 2 == 2'113'929'216);
  CHECK(offset_in_32_bits(63, 32, 8192, 128) == 2'113'929'216);
  CHECK(mha::cache_floats({64, 32, 128, 8192}) / 2 == Index{1} << 31);
  CHECK(offset_in_32_bits(64, 32, 8192, 128) ==
        std::numeric_limits<std::int32_t>::min());
  CHECK(offset_in_32_bits(128, 32, 8192, 128) == 0);  // item 0's first slot
}

TEST_CASE("every wrong cache is caught, and the right ones pass") {
  for (const caches::Case& one : caches::cases()) {
    CAPTURE(one.name);
    CHECK(caches::fault_in_pieces(one).empty() ==
          (one.symptom == "nothing"));
  }
}

TEST_CASE("with as many key/value heads as query heads, or with one, tiling "
          "is not seen") {
  for (const auto& [heads, kv, seen] :
       {std::tuple<Index, Index, bool>{4, 4, false}, {4, 1, false},
        {4, 2, true}}) {
    caches::Case one = caches::case_named("tiled-kv-heads");
    one.setting.n_heads = heads;
    one.setting.n_kv_heads = kv;
    CHECK(caches::fault_in_pieces(one).empty() == !seen);
  }
}

TEST_CASE("dividing by the key/value heads is not seen at 64 on 8") {
  for (const auto& [heads, kv, seen] :
       {std::tuple<Index, Index, bool>{64, 8, false}, {32, 8, true},
        {28, 4, true}, {64, 4, true}}) {
    caches::Case one = caches::case_named("divided-by-kv-heads");
    one.setting.n_heads = heads;
    one.setting.n_kv_heads = kv;
    CHECK(caches::fault_in_pieces(one).empty() == !seen);
  }
}

TEST_CASE("heads counted through by modulo are right if the file has them so") {
  mha::TorchGenerator generator(10);
  const Matrix<float> q = generator.normal(3, 6 * 4);
  const Matrix<float> k = generator.normal(3, 2 * 4);
  const Matrix<float> right = mha::grouped_attention(q, k, k, 6, 2);
  // The same queries in another order: 0, 3, 1, 4, 2, 5.
  Matrix<float> stored = q, got = q;
  for (Index h = 0; h < 6; ++h) {
    const Index place = h % 3 * 2 + h / 3;
    mha::head_of(stored, place, 4) = mha::head_of(q, h, 4);
  }
  for (Index place = 0; place < 6; ++place) {
    mha::head_of(got, place / 2 + place % 2 * 3, 4) =
        mha::attention(mha::head_of(stored, place, 4),
                       mha::head_of(k, place % 2, 4),
                       mha::head_of(k, place % 2, 4))
            .context;
  }
  CHECK(same_bits(got, right));
}

TEST_CASE("eight heads of 0 to 7 pooled to two are 1.5 and 5.5") {
  mha::LayerWeights<float> w;
  w.w_k.resize(1, 8);
  w.w_k << 0, 1, 2, 3, 4, 5, 6, 7;
  w.w_v = w.w_k;
  w.b_k = w.b_v = w.w_k.row(0);
  const auto two = pooling::pooled(w, 8, 2, pooling::Pooling::mean);
  for (const Matrix<float>& got :
       {two.w_k, two.w_v, Matrix<float>(two.b_k), Matrix<float>(two.b_v)}) {
    CHECK(got(0, 0) == 1.5F);
    CHECK(got(0, 1) == 5.5F);
  }
  CHECK(pool_every_kth(w.w_k, 8, 2)(0, 0) == 3.0F);
}

TEST_CASE("fewer key/value heads are taken only where both numbers are said") {
  mha::TorchGenerator generator(11);
  mha::LayerWeights<float> w = mha::torch_layer_weights(generator, 8);
  w.w_k = w.w_k.leftCols(4).eval();
  w.w_v = w.w_v.leftCols(4).eval();
  CHECK_THROWS_AS(mha::MultiHeadAttention<float>(w, 4), std::invalid_argument);
  w.b_k.resize(0);
  w.b_v.resize(0);
  CHECK(pooling::grouped_layer(generator.normal(3, 8), w, 4, 2).cols() == 8);
  CHECK_THROWS_AS(pooling::grouped_layer(generator.normal(3, 8), w, 4, 3),
                  std::invalid_argument);
}

TEST_CASE("repeating heads takes H / G times the cache again, and sharing a "
          "row of scores") {
  const Index heads = 32, kv = 8, d = 16, tokens = 256;
  const Matrix<float> k = Matrix<float>::Ones(tokens, kv * d);
  const Index copies = 2 * mha::repeat_heads(k, heads, kv).size();
  const Index cache = mha::cache_floats({1, kv, d, tokens});
  CHECK(copies == heads / kv * cache);
  CHECK(heads / kv * mha::scores_stride(tokens) == 4 * 256);
  CHECK(heads * tokens * tokens == 2'097'152);  // and all scores, if stored
}

TEST_CASE("sharing divides the bytes of a decode and leaves its operations") {
  const Work many = work_of(filled(32, 50), 32);
  for (const Index kv : {16, 8, 4, 2, 1}) {
    const Work work = work_of(filled(kv, 50), 32);
    CHECK(work.operations == many.operations);
    CHECK(work.bytes * (32 / kv) == many.bytes);
  }
  CHECK(many.bytes == 2 * 50 * 32 * 16 * 4);
  CHECK(2 * many.operations == many.bytes);  // half an operation a byte
}

TEST_CASE("two matrix products give what the loop gives") {
  const Tokens x = some_tokens(12, 50);
  KvCache cache({1, 2, 8, 50});
  feed(cache, 0, x, 0, 50);
  const Matrix<float> expected = mha::decode(cache, 0, x.q.row(49), 6, scale);
  Matrix<float> got(1, 48), scores(3, 50);
  for (Index g = 0; g < 2; ++g) {
    mha::attend_by_products(x.q.row(49).data() + 24 * g, 3, 8, scale,
                            cache.runs(0, g).front(), scores.data(),
                            got.data() + 24 * g);
  }
  CHECK(mha::max_abs_difference(got, expected) <= 1e-5);
}

TEST_CASE("a window of W keys and one from i - W to i differ from row W on") {
  for (Index i = 0; i < 3; ++i) {
    CHECK(keys_in_window(i, 3) == keys_between(i, 3));
  }
  CHECK(keys_in_window(3, 3) == 3);  // 1, 2, 3
  CHECK(keys_between(3, 3) == 4);    // 0, 1, 2, 3
  CHECK(keys_between(4, 2) == 3);    // 2, 3, 4
}

TEST_CASE("the cost of a window on both sides grows with the window") {
  CHECK(two_sided_pairs(4096, 2) == 3 * 4096 - 2);
  CHECK(two_sided_pairs(4096, 512) > 160 * two_sided_pairs(4096, 2));
  CHECK(two_sided_pairs(4096, 8192) == 4096 * 4096);
  CHECK_THROWS_AS(two_sided_pairs(4096, 3), std::invalid_argument);
}

TEST_CASE("turning by the position leaves only its difference in a score") {
  mha::TorchGenerator generator(13);
  const caches::Row q = generator.normal(1, 8).cast<double>();
  const caches::Row k = generator.normal(1, 8).cast<double>();
  const auto score = [&](Index i, Index j) {
    return caches::turned(q, 8, i).dot(caches::turned(k, 8, j));
  };
  for (const Index shift : {1, 10, 1000}) {
    CHECK(score(7 + shift, 3 + shift) ==
          doctest::Approx(score(7, 3)).epsilon(1e-10));
  }
  CHECK(std::abs(score(7, 3) - score(7, 4)) > 1e-3);
  // The first pair turns by one radian a token.
  const caches::Row x{{1.0, 2.0, 3.0, 4.0}};
  const caches::Row y = caches::turned(x, 4, 1);
  CHECK(y(0) == doctest::Approx(-1.142640).epsilon(1e-6));
  CHECK(y(3) == doctest::Approx(4.029800).epsilon(1e-6));
}
