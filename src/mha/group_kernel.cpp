#include "mha/group_kernel.hpp"

#include "mha/vector_lanes.hpp"

namespace mha {
namespace {

// [two places]
// Rows are read at two places at once, half the keys apart: while those asked
// for at one place are under way, those of the other are worked on.
struct Pairs {
  const float *here, *there;  // rows of d_head, n at each place
  Size n;
};

inline Size least(Size a, Size b) { return a < b ? a : b; }

inline Pairs pairs_from(const Pairs& rows, Size p, Size d) {
  return {rows.here + p * d, rows.there + p * d, rows.n - p};
}

// The i-th row of pairs, counted through. Beyond the last it is that again.
inline const float* row_of(const Pairs& rows, int i, Size d) {
  const float* from = i % 2 == 0 ? rows.here : rows.there;
  return from + least(i / 2, rows.n - 1) * d;
}
// [two places]

// [ahead]
// Rows come in order, so the memory can be told what is next: 4 KB ahead.
constexpr Size floats_ahead = 1024;
// [ahead]

// [fold]
// What each of the vectors adds up to, in order. Shuffled into one, two vectors
// take half the lanes each; every step halves their number.
inline Vector sums_of(Vector (&x)[lanes]) {
  constexpr auto each = std::make_integer_sequence<int, lanes>();
  for (int left = lanes / 2; left >= 1; left /= 2) {
    for (int i = 0; i < left; ++i) {
      x[i] = first_halves(x[i], x[i + left], each) +
             second_halves(x[i], x[i + left], each);
    }
  }
  return x[0];
}
// [fold]

// [dots]
// What is worked on together: queries of the group, and rows.
constexpr int most_heads = lanes == 4 ? 2 : 4;
constexpr int few_rows = lanes / most_heads;

// Adds to the sums what n columns give.
template <int heads, int rows>
[[gnu::always_inline]] inline void add_columns(const float* q,
                                               const float* const (&row)[rows],
                                               Size d, Size c, Size n,
                                               Vector (&sums)[heads][rows]) {
  Vector keys[rows];
  unrolled<rows, 1>([&](int r, int) { keys[r] = load_first(row[r] + c, n); });
  unrolled<heads, 1>([&](int h, int) {
    const Vector query = load_first(q + h * d + c, n);
    unrolled<rows, 1>([&](int r, int) { sums[h][r] += query * keys[r]; });
  });
}

// Scores of `heads` queries with the first rows of pairs, as many as fill a
// vector; `first`: no other query has met these rows.
template <int heads>
inline Vector dots(const float* q, const Pairs& k, Size d, bool first) {
  constexpr int all_rows = lanes / heads;
  Vector all[lanes];
  for (int i = 0; i < all_rows; i += few_rows) {
    const float* row[few_rows];
    for (int r = 0; r < few_rows; ++r) {
      row[r] = row_of(k, i + r, d);
      if (first) fetch_row(row[r] + floats_ahead, d);
    }
    Vector sums[heads][few_rows] = {};
    Size c = 0;
    for (; c + lanes <= d; c += lanes) add_columns(q, row, d, c, lanes, sums);
    if (c < d) add_columns(q, row, d, c, d - c, sums);
    unrolled<heads, few_rows>(
        [&](int h, int r) { all[h * all_rows + i + r] = sums[h][r]; });
  }
  return sums_of(all);
}
// [dots]

// [score pairs]
// Scores of all keys, or weights: a row for each query.
struct Scores {
  float *here, *there;  // those of the first pair
  Size stride;          // from a query to the next
};

inline Scores scores_from(const Scores& s, Size h, Size p) {
  return {s.here + h * s.stride + p, s.there + h * s.stride + p, s.stride};
}

template <int heads>
inline void score_block(const float* q, const Pairs& k, Size d, float scale,
                        const Scores& to, bool first) {
  constexpr int rows = lanes / heads;
  float x[lanes];
  store_first(scale * dots<heads>(q, k, d, first), x, lanes);
  for (int h = 0; h < heads; ++h) {
    for (Size p = 0; p < least(rows / 2, k.n); ++p) {
      to.here[h * to.stride + p] = x[h * rows + 2 * p];
      to.there[h * to.stride + p] = x[h * rows + 2 * p + 1];
    }
  }
}

template <int heads>
void score_some(const float* q, const Pairs& k, Size d, float scale,
                const Scores& to, bool first) {
  for (Size p = 0; p < k.n; p += lanes / heads / 2) {
    score_block<heads>(q, pairs_from(k, p, d), d, scale, scores_from(to, 0, p),
                       first);
  }
}

// A few rows stay in the nearest cache while every query of the group meets
// them, and they are not needed again.
void score_pairs(const float* q, Size heads, Size d, float scale,
                 const Pairs& k, const Scores& to) {
  for (Size p = 0; p < k.n; p += lanes / 2) {
    Pairs some = pairs_from(k, p, d);
    some.n = least(some.n, lanes / 2);
    Size h = 0;
    for (; h + most_heads <= heads; h += most_heads) {
      score_some<most_heads>(q + h * d, some, d, scale, scores_from(to, h, p),
                             h == 0);
    }
    for (; h + 2 <= heads; h += 2) {
      score_some<2>(q + h * d, some, d, scale, scores_from(to, h, p), h == 0);
    }
    for (; h < heads; ++h) {
      score_some<1>(q + h * d, some, d, scale, scores_from(to, h, p), h == 0);
    }
  }
}
// [score pairs]

// [to weights]
constexpr float inf = __builtin_huge_valf();

float highest_of(const float* scores, Size stride) {
  Vector highest = broadcast(-inf);
  for (Size j = 0; j < stride; j += lanes) {
    const Vector s = load(scores + j);
    highest = s > highest ? s : highest;
  }
  float of_all = -inf;
  for (int i = 0; i < lanes; ++i) {
    if (highest[i] > of_all) of_all = highest[i];
  }
  return of_all;
}

// Scores, in powers of two, become weights. The places between n and the stride
// are filled up with scores that weigh nothing.
SoftmaxPart to_weights(float* scores, Size n, Size stride) {
  for (Size j = n; j < stride; ++j) scores[j] = -inf;
  const float highest = highest_of(scores, stride);
  Vector totals = {};
  for (Size j = 0; j < stride; j += lanes) {
    const Vector weights = exp2_below_zero(load(scores + j) - highest);
    store_first(weights, scores + j, lanes);
    totals += weights;
  }
  float total = 0;
  for (int i = 0; i < lanes; ++i) total += totals[i];
  for (Size j = 0; j < stride; j += lanes) {
    store_first(load(scores + j) / total, scores + j, lanes);
  }
  return {highest, total};
}
// [to weights]

// [add rows]
// Adds rows of values, each times its weight, to what `heads` queries have
// read: n columns of it.
template <int heads, int rows>
[[gnu::always_inline]] inline void add_weighted(
    const Vector (&weights)[heads][rows], const float* const (&row)[rows],
    Size d, Size c, Size n, float* out) {
  Vector values[rows];
  unrolled<rows, 1>([&](int r, int) { values[r] = load_first(row[r] + c, n); });
  unrolled<heads, 1>([&](int h, int) {
    Vector sum = load_first(out + h * d + c, n);
    unrolled<rows, 1>([&](int r, int) { sum += weights[h][r] * values[r]; });
    store_first(sum, out + h * d + c, n);
  });
}

template <int heads, int rows>
inline void add_rows(const Scores& weights, const Pairs& v, Size d,
                     float* out, bool first) {
  const float* row[rows];
  for (int r = 0; r < rows; ++r) {
    row[r] = row_of(v, r, d);
    if (first) fetch_row(row[r] + floats_ahead, d);
  }
  Vector of[heads][rows];
  unrolled<heads, rows>([&](int h, int r) {
    const float* from = r % 2 == 0 ? weights.here : weights.there;
    of[h][r] = broadcast(from[h * weights.stride + r / 2]);
  });
  Size c = 0;
  for (; c + lanes <= d; c += lanes) add_weighted(of, row, d, c, lanes, out);
  if (c < d) add_weighted(of, row, d, c, d - c, out);
}
// [add rows]

// [add values]
template <int rows>
inline void add_block(const Scores& weights, Size heads, const Pairs& v,
                      Size d, float* out) {
  Size h = 0;
  for (; h + most_heads <= heads; h += most_heads) {
    add_rows<most_heads, rows>(scores_from(weights, h, 0), v, d, out + h * d,
                               h == 0);
  }
  for (; h + 2 <= heads; h += 2) {
    add_rows<2, rows>(scores_from(weights, h, 0), v, d, out + h * d, h == 0);
  }
  for (; h < heads; ++h) {
    add_rows<1, rows>(scores_from(weights, h, 0), v, d, out + h * d, h == 0);
  }
}

void add_values(const Scores& weights, Size heads, const Pairs& v, Size d,
                float* out) {
  Size p = 0;
  for (; p + few_rows / 2 <= v.n; p += few_rows / 2) {
    add_block<few_rows>(scores_from(weights, 0, p), heads, pairs_from(v, p, d),
                        d, out);
  }
  for (; p < v.n; ++p) {
    add_block<2>(scores_from(weights, 0, p), heads, pairs_from(v, p, d), d,
                 out);
  }
}
// [add values]

// [runs of pairs]
// What is left of a run from the j-th key of all runs on.
KeyValueRun rest_from(const KeyValueRun* runs, Size j, Size d) {
  while (j >= runs->tokens) j -= (runs++)->tokens;
  return {runs->k + j * d, runs->v + j * d, runs->tokens - j};
}

// Calls body(k, v, p) for pairs p and on, as far as they lie row under row at
// both places, until all are done.
template <typename Body>
void for_pairs(const KeyValueRun* runs, Size pairs, Size d, Body body) {
  for (Size p = 0; p < pairs;) {
    const KeyValueRun here = rest_from(runs, p, d);
    const KeyValueRun there = rest_from(runs, pairs + p, d);
    const Size n = least(pairs - p, least(here.tokens, there.tokens));
    body(Pairs{here.k, there.k, n}, Pairs{here.v, there.v, n}, p);
    p += n;
  }
}
// [runs of pairs]

// [attend group steps]
void attend(const GroupCall& call) {
  const Size heads = call.heads, d = call.d_head;
  for (Size c = 0; c < heads * d; ++c) call.out[c] = 0;
  for (Size h = 0; h < heads; ++h) call.parts[h] = {-inf, 0};
  Size tokens = 0;
  for (Size r = 0; r < call.n_runs; ++r) tokens += call.runs[r].tokens;
  if (tokens == 0) return;
  const Size pairs = tokens / 2, stride = scores_stride(tokens);
  const Scores first = {call.scores, call.scores + pairs, stride};
  const float scale = call.scale * 1.44269504F;  // to powers of two
  for_pairs(call.runs, pairs, d, [&](const Pairs& k, const Pairs&, Size p) {
    score_pairs(call.q, heads, d, scale, k, scores_from(first, 0, p));
  });
  // With an odd number of tokens, the last has no partner but itself.
  float* end = call.scores + tokens - 1;
  const Scores last = {end, end, stride};
  const KeyValueRun row = rest_from(call.runs, tokens - 1, d);
  score_pairs(call.q, heads, d, scale, {row.k, row.k, 1}, last);
  for (Size h = 0; h < heads; ++h) {
    call.parts[h] = to_weights(call.scores + h * stride, tokens, stride);
  }
  for_pairs(call.runs, pairs, d, [&](const Pairs&, const Pairs& v, Size p) {
    add_values(scores_from(first, 0, p), heads, v, d, call.out);
  });
  if (tokens % 2 == 1) {
    add_block<1>(last, heads, {row.v, row.v, 1}, d, call.out);
  }
}
// [attend group steps]

// [read all]
// From two places at once: what has been asked for at one arrives while the
// other is read.
float read_everything(const float* numbers, Size n) {
  const Size half = n / 2;
  Vector sums[4] = {};  // none waits for another
  Size i = 0;
  for (; i + 2 * lanes <= half; i += 2 * lanes) {
    const float* here = numbers + i;
    const float* there = here + half;
    sums[0] += load(here);
    sums[1] += load(here + lanes);
    sums[2] += load(there);
    sums[3] += load(there + lanes);
  }
  const Vector all = (sums[0] + sums[1]) + (sums[2] + sums[3]);
  float sum = 0;
  for (Size c = i; c < half; ++c) sum += numbers[c] + numbers[half + c];
  if (n % 2 == 1) sum += numbers[n - 1];
  for (int l = 0; l < lanes; ++l) sum += all[l];
  return sum;
}
// [read all]

}  // namespace

// [this group kernel]
/// \return the code for the width that this file is compiled for
template <>
GroupKernel group_kernel<lanes>() {
  return {attend, read_everything};
}
// [this group kernel]

}  // namespace mha
