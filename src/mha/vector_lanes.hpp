/// \file vector_lanes.hpp
/// Vectors of floats, by the extension that g++ and clang share (chapter 6).
/// Each file that includes this gets its own copy, for its own width: nothing
/// here may be shared by files that are compiled for different machines.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>

namespace mha {
namespace {

// [vector type]
#ifndef MHA_LANES
/// Floats in a vector: 4, 8 or 16.
#define MHA_LANES 4  // every x86-64, and WebAssembly's 128 bits
#endif
constexpr int lanes = MHA_LANES;
using Size = std::ptrdiff_t;
using Vector = float __attribute__((vector_size(sizeof(float) * lanes)));
using Ints = std::int32_t __attribute__((vector_size(sizeof(float) * lanes)));

// Less a zero, not plus: x - 0 is x for every x, so nothing is computed.
inline Vector broadcast(float x) { return x - Vector{}; }
// [vector type]

// [unrolled]
// Calls body(r, w) for each r below `rows` and w below `columns`, written out
// one by one. In a loop g++ would keep an array in memory that is meant for
// registers.
template <int columns, typename Body, int... n>
inline void call_each(Body body, std::integer_sequence<int, n...>) {
  (body(n / columns, n % columns), ...);
}

template <int rows, int columns, typename Body>
inline void unrolled(Body body) {
  call_each<columns>(body, std::make_integer_sequence<int, rows * columns>());
}
// [unrolled]

// [load and store]
inline Vector load(const float* from) {
  Vector x;
  __builtin_memcpy(&x, from, sizeof x);
  return x;
}

// The first n lanes; the others are 0. n: 0 to lanes.
inline Vector load_first(const float* from, Size n) {
  if (n == lanes) return load(from);
  Vector x = {};
  __builtin_memcpy(&x, from, static_cast<std::size_t>(n) * sizeof(float));
  return x;
}

inline void store_first(Vector x, float* to, Size n) {
  if (n == lanes) {
    __builtin_memcpy(to, &x, sizeof x);
  } else {
    __builtin_memcpy(to, &x, static_cast<std::size_t>(n) * sizeof(float));
  }
}
// [load and store]

// [fetch a row]
// Asks memory for numbers that are needed soon, as far as the second cache: few
// lines can be on their way to the first.
inline void fetch_row(const float* from, Size count) {
  constexpr int to_read = 0, near = 2;  // 3 would be the first cache
  for (Size c = 0; c < count; c += 16) {  // a line of memory
    __builtin_prefetch(from + c, to_read, near);
  }
}
// [fetch a row]

// [any]
// Whether any lane is not 0; a comparison gives -1 where it holds.
inline bool any(Ints x) {
  std::int64_t pieces[sizeof x / sizeof(std::int64_t)];
  __builtin_memcpy(pieces, &x, sizeof x);
  std::int64_t all = 0;
  for (const std::int64_t piece : pieces) all |= piece;
  return all != 0;
}
// [any]

// [exp2]
// 2^x for x <= 0, within 1e-7 of itself; exactly 1 at 0, and exactly 0 below
// -126.5, at minus infinity too. NaN stays NaN.
inline Vector exp2_below_zero(Vector x) {
  x = x < -127.0F ? broadcast(-127.0F) : x;  // false for NaN
  // So large a number has no bits left for a fraction: adding it rounds.
  const Vector rounder = broadcast(12582912.0F);  // 1.5 * 2^23
  const Vector shifted = x + rounder;
  const Vector f = x - (shifted - rounder);  // -0.5 to 0.5
  Vector p = broadcast(1.535336215e-4F);
  p = p * f + 1.339887444e-3F;
  p = p * f + 9.618437357e-3F;
  p = p * f + 5.550332471e-2F;
  p = p * f + 2.402264791e-1F;
  p = p * f + 6.931472029e-1F;
  p = p * f + 1.0F;
  // The low bits of `shifted` count the whole steps: they are the exponent.
  const Ints power = (reinterpret_cast<Ints>(shifted) + 127) << 23;
  return p * reinterpret_cast<Vector>(power);
}
// [exp2]

// [interleave]
template <int... i>
Vector first_halves(Vector a, Vector b, std::integer_sequence<int, i...>) {
  return __builtin_shufflevector(a, b, (i / 2 + i % 2 * lanes)...);
}

template <int... i>
Vector second_halves(Vector a, Vector b, std::integer_sequence<int, i...>) {
  return __builtin_shufflevector(a, b,
                                 (lanes / 2 + i / 2 + i % 2 * lanes)...);
}
// [interleave]

// [transpose]
// Rows become columns, in registers. Shuffling row i with row i + lanes / 2,
// as two halves of a pack of cards, log2(lanes) times does it.
inline void transpose(Vector (&rows)[lanes]) {
  constexpr auto each = std::make_integer_sequence<int, lanes>();
  for (int step = 1; step < lanes; step *= 2) {
    Vector mixed[lanes];
    for (int i = 0; i < lanes / 2; ++i) {
      mixed[2 * i] = first_halves(rows[i], rows[i + lanes / 2], each);
      mixed[2 * i + 1] = second_halves(rows[i], rows[i + lanes / 2], each);
    }
    for (int i = 0; i < lanes; ++i) rows[i] = mixed[i];
  }
}
// [transpose]

}  // namespace
}  // namespace mha
