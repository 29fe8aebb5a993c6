// Chapter 9: how often a head finds the marked word, and what that is worth.
#pragma once

#include "many_texts.hpp"
#include "marked_sentences.hpp"
#include "word_maps.hpp"

#include <array>
#include <vector>

namespace trained {

// [statistics]
struct Interval {
  double low, high;
};

// For `hits` of `n` (Wilson 1927). z = 1.96 for 95 %.
Interval wilson(Index hits, Index n, double z = 1.96);

// A fair coin for each difference gives it a sign. How likely is a sum as far
// from 0 as that of the signs they have, or farther?
double sign_flips(const std::vector<Index>& differences);

// Makes up for many tests at once (Holm 1979): the p-values after it, in the
// order of those before.
std::vector<double> holm(const std::vector<double>& p);
// [statistics]

// [counts]
using PerHead = std::array<bool, n_all_heads>;

// One mark, or one word, and who found it.
struct Trial {
  Index sentence;
  Index offset;  // where the marked word is, from the one that asks
  Index others;  // words it could be
  PerHead hit;   // by each head: has it the largest weight of the others?
  PerHead itself;  // and the word that asks: has it a larger one than all?
  // Of the words that neither ask nor are asked for: how many look there too?
  std::array<double, n_all_heads> anyway;
};

struct Counts {
  Relation relation;
  std::vector<Trial> trials;

  Index n() const { return std::ssize(trials); }
  Index hits(Index head) const;
  Index itself(Index head) const;
  double chance() const;        // guessing among the other words
  double anyway(Index head) const;  // what other words of the sentence do
  Index best_offset() const;    // always so many words away: the best of all
  Index hits_at(Index offset) const;
  Index best_head() const;
  // Of a head against the best offset. Sentences of a pair are much alike, so
  // their differences are added up, and share a coin.
  double p_against_offset(Index head) const;
};

// The same of all heads for the marked relations, in the order of both, after
// Holm's correction.
std::vector<double> corrected_p(const std::vector<Counts>& all);

std::vector<Counts> count_relations(const Model& model, const ManyTexts& many);
const char* relation_name(Relation relation);
// [counts]

// [pairs found]
// The pronoun pairs hold two persons each, and the pronoun says which.
struct PairCounts {
  Index right = 0, other = 0, neither = 0;  // sentences, by where it looks most
  Index both = 0;                           // pairs found in both sentences
  double p = 1;  // of right against other, a coin for each pair
};

PairCounts pronoun_pairs_of(const Model& model, const ManyTexts& many,
                            Index head);
void print_pairs_found(const Model& model, const ManyTexts& many);
// [pairs found]

// [habits]
// Where a head's weight goes on average, and how far sentences differ.
struct Habit {
  double before, itself, after;  // mean weight on the neighbour or itself
  double spread;                 // entropy, as a share of the largest possible
  double least, most;            // of one sentence: share of words that look
                                 // most at the same neighbour
  Index usual;                   // that neighbour's offset
};

Habit habit_of(const Model& model, const ManyTexts& many, Index head);
// [habits]

// [marked texts]
std::vector<std::vector<Index>> marked_texts(const Model& model);
// [marked texts]

// [print relations]
void print_relations(const std::vector<Counts>& all);
void print_verdicts(const std::vector<Counts>& all);
void print_habits(const Model& model, const ManyTexts& many);
// [print relations]

}  // namespace trained
