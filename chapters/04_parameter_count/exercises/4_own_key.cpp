// Exercise 4.4: A second slot
// kind: prove or measure
// difficulty: 2
// section: when-a-head-gets-too-thin
// check: every token gives its own key at least 0.9
//
// With one slot a head has two favourite keys at most, however many tokens
// there are. What does a second slot change?
//
// Write `places`: one row of two numbers for each token. The check uses the
// rows as queries and as keys, with the usual scale of 1 / sqrt(2). Every token
// must give at least 0.9 of its weight to its own key, for 2 tokens and for
// 200.
//
// Then say in a comment what it costs: how does the length of your rows grow
// with the number of tokens?
//
// hint: A query's favourite is the key that lies furthest in its direction.
//   Where must the keys lie so that each is the furthest in some direction?
// hint: Round a circle, at equal angles. Between neighbours the dot product is
//   the square of the radius times the cosine of 2 pi / T.
// hint: The own score is ahead of every other by at least r^2 (1 - cos(2 pi /
//   T)) / sqrt(2). If all T - 1 others are behind by m, then for each 1 of the
//   own key they get at most (T - 1) exp(-m). Choose m so that this is 1/9.
// hint: `r = std::sqrt(std::sqrt(2.0) * std::log(9.0 * (T - 1)) / (1 - cos))`.
#include "exercise/exercise.hpp"

// Returns (tokens, 2).
mha::Matrix<double> places(mha::Index tokens) {
  return mha::Matrix<double>::Zero(tokens, 2);
}

// What it costs:
