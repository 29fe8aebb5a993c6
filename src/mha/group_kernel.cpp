#include "mha/group_kernel.hpp"

#include <algorithm>
#include <cstdint>
#include <cstring>

namespace mha {
namespace {

// [lanes]
// This file is compiled for the processor at hand, so it must not share inline
// functions with others: no Eigen here.
using std::ptrdiff_t;
constexpr ptrdiff_t lanes = 16;  // floats in a cache line

// Sixteen floats that are worked on together, by as few instructions as the
// processor needs. Both compilers have such types.
using Floats = float __attribute__((vector_size(64)));
using Ints = std::int32_t __attribute__((vector_size(64)));

inline Floats load(const float* from) {
  Floats x;
  std::memcpy(&x, from, sizeof x);
  return x;
}

inline void store(float* to, const Floats& x) {
  std::memcpy(to, &x, sizeof x);
}
// [lanes]

// [ahead]
// Rows come in order, so the processor can be told what is next. 8 KB ahead is
// early enough for the memory and little enough for the nearest cache.
constexpr ptrdiff_t floats_ahead = 2048;

inline void fetch_ahead(const float* from, ptrdiff_t floats) {
  for (ptrdiff_t c = 0; c < floats; c += lanes) {
    __builtin_prefetch(from + floats_ahead + c);
  }
}
// [ahead]

// [fold]
// Sums of neighbours, those of a and then those of b.
inline Floats fold(const Floats& a, const Floats& b) {
  return __builtin_shufflevector(a, b, 0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20,
                                 22, 24, 26, 28, 30) +
         __builtin_shufflevector(a, b, 1, 3, 5, 7, 9, 11, 13, 15, 17, 19, 21,
                                 23, 25, 27, 29, 31);
}

// What each of sixteen vectors adds up to, in order.
inline Floats sums_of(Floats (&x)[lanes]) {
  for (ptrdiff_t left = lanes / 2; left >= 1; left /= 2) {
    for (ptrdiff_t i = 0; i < left; ++i) x[i] = fold(x[2 * i], x[2 * i + 1]);
  }
  return x[0];
}
// [fold]

// [dots]
// Scores of `heads` queries with the keys of a block, 16 / heads rows of them,
// so that sixteen sums are under way. `last` is the last row there is: beyond
// it, it is read again, and what comes of that is not used.
template <ptrdiff_t heads>
inline Floats dots(const float* q, const float* k, ptrdiff_t last,
                   ptrdiff_t d) {
  constexpr ptrdiff_t rows = lanes / heads;
  const float* row[rows];
  for (ptrdiff_t r = 0; r < rows; ++r) row[r] = k + std::min(r, last) * d;
  fetch_ahead(k, rows * d);
  Floats sums[lanes] = {};
  ptrdiff_t c = 0;
  for (; c + lanes <= d; c += lanes) {
    for (ptrdiff_t r = 0; r < rows; ++r) {
      const Floats key = load(row[r] + c);
      for (ptrdiff_t h = 0; h < heads; ++h) {
        sums[h * rows + r] += load(q + h * d + c) * key;
      }
    }
  }
  for (; c < d; ++c) {
    for (ptrdiff_t i = 0; i < lanes; ++i) {
      sums[i][0] += q[i / rows * d + c] * row[i % rows][c];
    }
  }
  return sums_of(sums);
}
// [dots]

// [score rows]
template <ptrdiff_t heads>
inline void score_block(const float* q, const float* k, ptrdiff_t there,
                        ptrdiff_t d, float scale, ptrdiff_t stride,
                        float* scores) {
  constexpr ptrdiff_t rows = lanes / heads;
  const Floats x = scale * dots<heads>(q, k, there - 1, d);
  for (ptrdiff_t h = 0; h < heads; ++h) {
    for (ptrdiff_t r = 0; r < std::min(rows, there); ++r) {
      scores[h * stride + r] = x[h * rows + r];
    }
  }
}

// Sixteen keys stay in the nearest cache while every query of the group meets
// them, and are not needed again.
void score_rows(const float* q, ptrdiff_t heads, ptrdiff_t d, float scale,
                const KeyValueRun& run, ptrdiff_t stride, float* scores) {
  for (ptrdiff_t j = 0; j < run.tokens; j += lanes) {
    const ptrdiff_t there = std::min(lanes, run.tokens - j);
    const float* k = run.k + j * d;
    ptrdiff_t h = 0;
    for (; h + 4 <= heads; h += 4) {
      for (ptrdiff_t r = 0; r < there; r += 4) {
        score_block<4>(q + h * d, k + r * d, there - r, d, scale, stride,
                       scores + h * stride + j + r);
      }
    }
    for (; h < heads; ++h) {
      score_block<1>(q + h * d, k, there, d, scale, stride,
                     scores + h * stride + j);
    }
  }
}
// [score rows]

// [exp]
// e^x for x <= 0, right to a few units in the last place near 0: 2^n times the
// series of e^y, where y is at most half of ln 2. Below -87 it is e^-87.
inline Floats exp_below_one(Floats x) {
  x = x < -87.0F ? Floats{} - 87.0F : x;  // NaN stays
  constexpr float round = 12582912.0F;  // 1.5 2^23: leaves whole numbers
  const Floats n = x * 1.44269504F + round;
  const Floats y = x - (n - round) * 0.693147181F;
  const Floats series =
      1 + y * (1 + y / 2 * (1 + y / 3 * (1 + y / 4 * (1 + y / 5 *
      (1 + y / 6 * (1 + y / 7))))));
  Ints bits, exponent;
  std::memcpy(&bits, &series, sizeof bits);
  std::memcpy(&exponent, &n, sizeof exponent);
  bits += exponent << 23;
  Floats result;
  std::memcpy(&result, &bits, sizeof result);
  return result;
}
// [exp]

// [to weights]
// Scores become weights. The places between n and the stride are filled up
// with the lowest score, which adds nothing that a float would show.
void to_weights(float* scores, ptrdiff_t n, ptrdiff_t stride) {
  const float highest = *std::max_element(scores, scores + n);
  std::fill(scores + n, scores + stride, highest - 87.0F);
  Floats totals = {};
  for (ptrdiff_t j = 0; j < stride; j += lanes) {
    const Floats weights = exp_below_one(load(scores + j) - highest);
    store(scores + j, weights);
    totals += weights;
  }
  float total = 0;
  for (ptrdiff_t i = 0; i < lanes; ++i) total += totals[i];
  for (ptrdiff_t j = 0; j < stride; j += lanes) {
    store(scores + j, load(scores + j) / total);
  }
}
// [to weights]

// [add rows]
// Adds `rows` values to what `heads` queries have read, each times its weight,
// one after the other.
template <ptrdiff_t heads, ptrdiff_t rows>
inline void add_rows(const float* weights, ptrdiff_t stride, const float* v,
                     ptrdiff_t d, float* out) {
  ptrdiff_t c = 0;
  fetch_ahead(v, rows * d);
  for (; c + lanes <= d; c += lanes) {
    Floats sums[heads];
    for (ptrdiff_t h = 0; h < heads; ++h) sums[h] = load(out + h * d + c);
    for (ptrdiff_t r = 0; r < rows; ++r) {
      const Floats value = load(v + r * d + c);
      for (ptrdiff_t h = 0; h < heads; ++h) {
        sums[h] += weights[h * stride + r] * value;
      }
    }
    for (ptrdiff_t h = 0; h < heads; ++h) store(out + h * d + c, sums[h]);
  }
  for (; c < d; ++c) {
    for (ptrdiff_t r = 0; r < rows; ++r) {
      for (ptrdiff_t h = 0; h < heads; ++h) {
        out[h * d + c] += weights[h * stride + r] * v[r * d + c];
      }
    }
  }
}
// [add rows]

// [add values]
// The same for values: as many as there are, up to sixteen.
template <ptrdiff_t heads>
inline void add_block(const float* weights, ptrdiff_t stride, const float* v,
                      ptrdiff_t there, ptrdiff_t d, float* out) {
  constexpr ptrdiff_t rows = lanes / heads;
  ptrdiff_t r = 0;
  for (; r + rows <= there; r += rows) {
    add_rows<heads, rows>(weights + r, stride, v + r * d, d, out);
  }
  for (; r < there; ++r) {
    add_rows<heads, 1>(weights + r, stride, v + r * d, d, out);
  }
}

void add_values(const float* weights, ptrdiff_t stride, ptrdiff_t heads,
                ptrdiff_t d, const KeyValueRun& run, float* out) {
  for (ptrdiff_t j = 0; j < run.tokens; j += lanes) {
    const ptrdiff_t there = std::min(lanes, run.tokens - j);
    const float* v = run.v + j * d;
    ptrdiff_t h = 0;
    for (; h + 4 <= heads; h += 4) {
      add_block<4>(weights + h * stride + j, stride, v, there, d, out + h * d);
    }
    for (; h < heads; ++h) {
      add_block<1>(weights + h * stride + j, stride, v, there, d, out + h * d);
    }
  }
}
// [add values]

}  // namespace

// [attend group steps]
void attend_group(const float* q, std::ptrdiff_t heads, std::ptrdiff_t d_head,
                  float scale, const KeyValueRun* runs, std::ptrdiff_t n_runs,
                  float* scores, float* out) {
  std::fill(out, out + heads * d_head, 0.0F);
  ptrdiff_t tokens = 0;
  for (ptrdiff_t r = 0; r < n_runs; ++r) tokens += runs[r].tokens;
  if (tokens == 0) return;
  const ptrdiff_t stride = scores_stride(tokens);
  ptrdiff_t from = 0;
  for (ptrdiff_t r = 0; r < n_runs; from += runs[r++].tokens) {
    score_rows(q, heads, d_head, scale, runs[r], stride, scores + from);
  }
  for (ptrdiff_t h = 0; h < heads; ++h) {
    to_weights(scores + h * stride, tokens, stride);
  }
  from = 0;
  for (ptrdiff_t r = 0; r < n_runs; from += runs[r++].tokens) {
    add_values(scores + from, stride, heads, d_head, runs[r], out);
  }
}
// [attend group steps]

// [read all]
// From two places at once: what has been asked for at one arrives while the
// other is read.
float read_all(const float* numbers, std::ptrdiff_t n) {
  const ptrdiff_t half = n / 2;
  Floats sums[4] = {};  // none waits for another
  ptrdiff_t i = 0;
  for (; i + 2 * lanes <= half; i += 2 * lanes) {
    const float* here = numbers + i;
    const float* there = here + half;
    sums[0] += load(here);
    sums[1] += load(here + lanes);
    sums[2] += load(there);
    sums[3] += load(there + lanes);
  }
  const Floats all = (sums[0] + sums[1]) + (sums[2] + sums[3]);
  float sum = 0;
  for (ptrdiff_t c = i; c < half; ++c) sum += numbers[c] + numbers[half + c];
  if (n % 2 == 1) sum += numbers[n - 1];
  for (ptrdiff_t l = 0; l < lanes; ++l) sum += all[l];
  return sum;
}
// [read all]

}  // namespace mha
