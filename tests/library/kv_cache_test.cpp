// The cache and what reads it: sizes, slots, edges, and what is refused.
#include "mha/generator.hpp"
#include "mha/grouped_attention.hpp"
#include "mha/kv_cache.hpp"
#include "mha/measure.hpp"
#include "mha/vector_widths.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <string>

namespace {

using mha::CacheShape;
using mha::Index;
using mha::KvCache;
using mha::Matrix;
using mha::RowVector;
using mha::WhenFull;

// Sums of up to 300 products of normal numbers, in float32.
constexpr double rounding = 1e-5;

struct Tokens {
  Matrix<float> q, k, v;
};

Tokens random_tokens(std::uint32_t seed, Index tokens, Index n_heads,
                     Index n_kv_heads, Index d_head) {
  mha::TorchGenerator generator(seed);
  return {generator.normal(tokens, n_heads * d_head),
          generator.normal(tokens, n_kv_heads * d_head),
          generator.normal(tokens, n_kv_heads * d_head)};
}

Matrix<double> reference(const Tokens& x, Index n_heads, Index n_kv_heads,
                         double scale) {
  mha::AttentionOptions options;
  options.causal = mha::Causal::bottom_right;
  options.scale = scale;
  return mha::grouped_attention<double>(x.q.cast<double>(), x.k.cast<double>(),
                                        x.v.cast<double>(), n_heads,
                                        n_kv_heads, options);
}

// Queries of one group over keys that are cut into two runs before row `cut`.
Matrix<float> attend_cut(const Tokens& x, Index heads, Index cut, int lanes) {
  const Index tokens = x.k.rows(), d = x.k.cols();
  const std::array<mha::KeyValueRun, 2> runs = {{
      {x.k.data(), x.v.data(), cut},
      {x.k.data() + cut * d, x.v.data() + cut * d, tokens - cut}}};
  std::vector<float> scores(
      static_cast<std::size_t>(heads * mha::scores_stride(tokens)));
  Matrix<float> out(1, heads * d);
  std::vector<mha::SoftmaxPart> parts(static_cast<std::size_t>(heads));
  mha::group_kernel_for(lanes).attend(
      {.q = x.q.data(), .heads = heads, .d_head = d, .scale = 0.25F,
       .runs = runs.data(), .n_runs = 2, .scores = scores.data(),
       .out = out.data(), .parts = parts.data()});
  return out;
}

template <typename Action>
std::string refusal(Action action) {
  try {
    action();
    return "accepted";
  } catch (const std::invalid_argument& error) {
    return error.what();
  }
}

}  // namespace

TEST_CASE("a cache gives what attention in double precision gives") {
  for (const Index d_head : {1, 3, 15, 16, 17, 64, 100})
    for (const auto& sizes :
         {std::pair<Index, Index>{1, 1}, {6, 6}, {6, 2}, {8, 2}, {5, 1},
          {32, 4}}) {
      const Index heads = sizes.first, kv_heads = sizes.second;
      CAPTURE(d_head);
      CAPTURE(heads);
      CAPTURE(kv_heads);
      const Tokens x = random_tokens(1, 35, heads, kv_heads, d_head);
      KvCache cache({1, kv_heads, d_head, 35});
      const double scale = 1 / std::sqrt(static_cast<double>(d_head));
      const Matrix<float> got = mha::feed(cache, 0, x.q, x.k, x.v, heads,
                                          static_cast<float>(scale));
      CHECK(mha::max_abs_difference(
                got, reference(x, heads, kv_heads, scale)) <= rounding);
    }
}

TEST_CASE("in every width a group reads what attention in double precision "
          "reads, and the same bits wherever its keys are cut") {
  for (const int lanes : mha::vector_widths())
    for (const Index d_head : {1, 3, 15, 17, 40})
      for (const Index heads : {1, 2, 3, 5, 8})
        for (const Index tokens : {1, 2, 3, 17, 70}) {
          CAPTURE(lanes);
          CAPTURE(d_head);
          CAPTURE(heads);
          CAPTURE(tokens);
          Tokens x = random_tokens(5, tokens, heads, 1, d_head);
          x.q = x.q.topRows(1).eval();
          const Matrix<float> whole = attend_cut(x, heads, tokens, lanes);
          CHECK(mha::max_abs_difference(whole, reference(x, heads, 1, 0.25)) <=
                rounding);
          for (const Index cut : {Index{1}, tokens / 2, tokens - 1}) {
            CHECK((attend_cut(x, heads, cut, lanes).array() == whole.array())
                      .all());
          }
        }
}

TEST_CASE("keys in several pieces give what all at once give in double "
          "precision, whatever the number of threads") {
  // The highest score is in the second piece, of three; the ring has wrapped.
  constexpr Index tokens = 9000;
  Tokens x = random_tokens(7, tokens, 4, 2, 4);
  x.k.row(5000) *= 6;
  KvCache ring({1, 2, 4, tokens, WhenFull::overwrite_oldest});
  for (Index t = 0; t < 100; ++t) ring.append(0, x.k.row(0), x.v.row(0));
  for (Index t = 0; t < tokens; ++t) ring.append(0, x.k.row(t), x.v.row(t));
  x.q = x.q.topRows(1).eval();
  const RowVector<float> one = mha::decode(ring, 0, x.q.row(0), 4, 0.5F);
  CHECK(mha::max_abs_difference(one, reference(x, 4, 2, 0.5)) <= rounding);
  for (int times = 0; times < 50; ++times) {  // threads meet by chance
    for (const int threads : {2, 3, 7}) {
      CHECK((mha::decode(ring, 0, x.q.row(0), 4, 0.5F, threads).array() ==
             one.array()).all());
    }
  }
  CHECK(refusal([&] { mha::decode(ring, 0, x.q.row(0), 4, 0.5F, 0); }) ==
        "there are 0 threads, but at least 1 is needed");
}

TEST_CASE("a width that the machine does not have is refused") {
  const Tokens x = random_tokens(6, 4, 1, 1, 8);
  CHECK(refusal([&] { attend_cut(x, 1, 2, 5); })
            .starts_with("this machine has no vectors of 5 floats"));
}

TEST_CASE("scores far apart and far from zero neither overflow nor vanish") {
  Tokens x = random_tokens(2, 300, 2, 1, 4);
  x.q *= 200;
  x.k.row(150) *= 50;
  KvCache cache({1, 1, 4, 300});
  const Matrix<float> got = mha::feed(cache, 0, x.q, x.k, x.v, 2, 1.0F);
  CHECK(got.allFinite());
  // Scores reach 1e5, where a float is right to 1/128.
  CHECK(mha::max_abs_difference(got, reference(x, 2, 1, 1.0)) <= 0.05);
}

TEST_CASE("a weight is right to a few units in the last place") {
  // Two keys: the second scores x less, and only its value is not 0.
  for (double x = 0; x <= 40; x += 0.37) {
    KvCache cache({1, 1, 1, 2});
    const auto one = [](double number) {
      return RowVector<float>::Constant(1, static_cast<float>(number)).eval();
    };
    cache.append(0, one(0), one(0));
    cache.append(0, one(-x), one(1));
    const double exact = std::exp(-static_cast<double>(static_cast<float>(x)));
    const double got = mha::decode(cache, 0, one(1), 1, 1.0F)(0);
    const double weight = exact / (1 + exact);
    // x itself is a multiple of its own last place, 2^-19 at 40.
    CHECK(std::abs(got - weight) <= (4 + x) * 0x1p-23 * weight);
  }
}

TEST_CASE("NaN in one head's key reaches that head's readers and no other") {
  Tokens x = random_tokens(3, 9, 4, 2, 8);
  x.k(4, 3) = std::numeric_limits<float>::quiet_NaN();
  KvCache cache({1, 2, 8, 9});
  const Matrix<float> got = mha::feed(cache, 0, x.q, x.k, x.v, 4, 0.5F);
  CHECK(got.topRows(4).allFinite());
  CHECK(got.rightCols(16).allFinite());
  CHECK(got.bottomLeftCorner(5, 16).array().isNaN().all());
}

TEST_CASE("the order of sums does not depend on where a ring wraps") {
  const Tokens x = random_tokens(4, 100, 4, 2, 20);
  for (const Index slots : {1, 2, 7, 16, 33}) {
    KvCache ring({1, 2, 20, slots, WhenFull::overwrite_oldest});
    const Matrix<float> got = mha::feed(ring, 0, x.q, x.k, x.v, 4, 0.2F);
    for (Index t = 0; t < 100; ++t) {
      const Index from = std::max<Index>(0, t + 1 - slots);
      KvCache fresh({1, 2, 20, slots});
      for (Index j = from; j <= t; ++j)
        fresh.append(0, x.k.row(j), x.v.row(j));
      CHECK((mha::decode(fresh, 0, x.q.row(t), 4, 0.2F).array() ==
             got.row(t).array()).all());
    }
  }
}

TEST_CASE("an empty cache gives zeros") {
  const KvCache cache({2, 1, 3, 4});
  CHECK(mha::decode(cache, 1, RowVector<float>::Ones(6), 2, 1.0F).isZero(0));
}

TEST_CASE("items are forgotten one by one") {
  KvCache cache({2, 1, 2, 3});
  const RowVector<float> row = RowVector<float>::Ones(2);
  for (const Index item : {0, 1, 1}) cache.append(item, row, row);
  cache.clear(1);
  CHECK(cache.length(0) == 1);
  CHECK(cache.length(1) == 0);
}

TEST_CASE("a cache gives back all it took") {
  mha::MemoryCount count;
  {
    const KvCache cache({3, 2, 8, 10}, &count);
    CHECK(count.now == 4 * mha::cache_floats(cache.shape()));
    CHECK(count.allocations == 2);
  }
  CHECK(count.now == 0);
  CHECK(count.most == 4 * 2 * 3 * 2 * 8 * 10);
}

TEST_CASE("what does not fit a cache is refused, and nothing is written") {
  KvCache cache({1, 2, 4, 3});
  const Tokens x = random_tokens(5, 4, 4, 2, 4);
  CHECK(refusal([&] { mha::feed(cache, 0, x.q, x.k, x.v, 4, 1.0F); }) ==
        "4 new tokens do not fit behind 0: the cache has 3 slots");
  CHECK(cache.length(0) == 0);
  CHECK(refusal([&] {
          mha::feed(cache, 0, x.q.topRows(3), x.k.topLeftCorner(3, 4),
                    x.v.topRows(3), 4, 1.0F);
        }).find("keys 4 and values 8") != std::string::npos);
  CHECK(refusal([&] { mha::decode(cache, 0, x.q.row(0), 3, 1.0F); }) ==
        "n_kv_heads = 2 does not divide n_heads = 3; choose a divisor");
  CHECK(refusal([&] { cache.length(1); }) ==
        "there is no item 1 in a batch of 1");
  CHECK(refusal([&] { cache.runs(0, 2); }) ==
        "there is no key/value head 2 among 2");
  for (int i = 0; i < 3; ++i) cache.append(0, x.k.row(0), x.v.row(0));
  CHECK(refusal([&] { cache.append(0, x.k.row(0), x.v.row(0)); })
            .find("item 0 has 3 tokens, and every slot is taken") == 0);
}

TEST_CASE("a cache of no size, or of too large a size, is refused") {
  CHECK(refusal([] { KvCache({1, 0, 4, 3}); }) ==
        "n_kv_heads = 0, but must be at least 1");
  const Index large = Index{1} << 20;
  CHECK(refusal([&] { mha::cache_floats({large, large, large, 8}); })
            .find("does not fit in 64 bits") != std::string::npos);
  CHECK(mha::cache_floats({large, large, 2, 2}) == Index{1} << 43);
}

TEST_CASE("numbers read by the probe are all of them") {
  for (const Index n : {0, 1, 63, 64, 65, 1000}) {
    const Matrix<float> ones = Matrix<float>::Ones(1, n);
    CHECK(mha::read_all(ones.data(), n) == static_cast<float>(n));
  }
}

TEST_CASE("a copy of shared heads gives what sharing gives, bit for bit") {
  const Tokens x = random_tokens(6, 11, 6, 2, 5);
  const Matrix<float> shared = mha::grouped_attention(x.q, x.k, x.v, 6, 2);
  const Matrix<float> copied =
      mha::grouped_attention(x.q, mha::repeat_heads(x.k, 6, 2),
                             mha::repeat_heads(x.v, 6, 2), 6, 6);
  CHECK((shared.array() == copied.array()).all());
}
