#include "relation_counts.hpp"

#include "mha/measure.hpp"
#include "mha/program.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

namespace trained {

// [counts of one relation]
Index Counts::hits(Index head) const {
  return std::count_if(trials.begin(), trials.end(), [&](const Trial& trial) {
    return trial.hit[static_cast<std::size_t>(head)];
  });
}

Index Counts::itself(Index head) const {
  return std::count_if(trials.begin(), trials.end(), [&](const Trial& trial) {
    return trial.itself[static_cast<std::size_t>(head)];
  });
}

double Counts::chance() const {
  double sum = 0;
  for (const Trial& trial : trials) {
    sum += 1 / static_cast<double>(trial.others);
  }
  return sum / static_cast<double>(n());
}

double Counts::anyway(Index head) const {
  double sum = 0;
  for (const Trial& trial : trials) {
    sum += trial.anyway[static_cast<std::size_t>(head)];
  }
  return sum / static_cast<double>(n());
}

Index Counts::hits_at(Index offset) const {
  return std::count_if(trials.begin(), trials.end(), [&](const Trial& trial) {
    return trial.offset == offset;
  });
}

Index Counts::best_offset() const {
  std::set<Index> offsets;
  for (const Trial& trial : trials) offsets.insert(trial.offset);
  return *std::max_element(
      offsets.begin(), offsets.end(),
      [&](Index a, Index b) { return hits_at(a) < hits_at(b); });
}

Index Counts::best_head() const {
  Index best = 0;
  for (Index h = 1; h < n_all_heads; ++h) {
    if (hits(h) > hits(best)) best = h;
  }
  return best;
}
// [counts of one relation]

// [against offset]
double Counts::p_against_offset(Index head) const {
  const Index offset = best_offset();
  std::map<Index, Index> differences;  // of a pair, or of a sentence alone
  for (const Trial& trial : trials) {
    const Index s = trial.sentence;
    differences[s < 2 * marked_pairs ? s / 2 : s] +=
        Index{trial.hit[static_cast<std::size_t>(head)]} -
        Index{trial.offset == offset};
  }
  std::vector<Index> by_pair;
  for (const auto& [pair, sum] : differences) by_pair.push_back(sum);
  return sign_flips(by_pair);
}

std::vector<double> corrected_p(const std::vector<Counts>& all) {
  std::vector<double> p;
  for (const Counts& counts : all) {
    if (counts.relation == Relation::to_previous) break;  // not neighbours
    for (Index h = 0; h < n_all_heads; ++h) {
      p.push_back(counts.p_against_offset(h));
    }
  }
  return holm(p);
}
// [against offset]

namespace {

// [largest of the others]
// Where word i looks most, itself left out.
Index looks_at(const mha::Matrix<double>& map, Index i) {
  Index best = i == 0 ? 1 : 0;
  for (Index j = 0; j < map.cols(); ++j) {
    if (j != i && map(i, j) > map(i, best)) best = j;
  }
  return best;
}
// [largest of the others]

// [place of a word]
Index place_of(const std::vector<Word>& words, const std::string& text) {
  Index place = -1;
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (words[i].text != text) continue;
    mha::require(place < 0, "the marked word {} stands there twice", text);
    place = static_cast<Index>(i);
  }
  mha::require(place >= 0, "the marked word {} is not there", text);
  return place;
}
// [place of a word]

// [one trial]
using HeadMaps = std::vector<mha::Matrix<double>>;  // of words, a head each

HeadMaps word_maps(const ManyTexts& many, Index sentence,
                   const std::vector<Word>& words) {
  HeadMaps maps;
  for (Index h = 0; h < n_all_heads; ++h) {
    maps.push_back(word_map(many.map(sentence, h), words));
  }
  return maps;
}

Trial trial_of(const HeadMaps& maps, Index sentence, Index from, Index to) {
  const Index words = maps[0].cols();
  Trial trial{sentence, to - from, words - 1, {}, {}, {}};
  for (std::size_t h = 0; h < maps.size(); ++h) {
    const Index most = looks_at(maps[h], from);
    trial.hit[h] = most == to;
    trial.itself[h] = maps[h](from, from) > maps[h](from, most);
    Index anyway = 0;
    for (Index i = 0; i < words; ++i) {
      anyway += i != from && i != to && looks_at(maps[h], i) == to;
    }
    trial.anyway[h] =
        static_cast<double>(anyway) / static_cast<double>(words - 2);
  }
  return trial;
}
// [one trial]

}  // namespace

// [marked texts]
std::vector<std::vector<Index>> marked_texts(const Model& model) {
  std::vector<std::vector<Index>> texts;
  for (const MarkedSentence& sentence : marked_sentences()) {
    texts.push_back(pieces_of(model, sentence.text));
  }
  return texts;
}
// [marked texts]

// [count relations]
std::vector<Counts> count_relations(const Model& model,
                                    const ManyTexts& many) {
  std::vector<Counts> all;
  for (int r = 0; r <= static_cast<int>(Relation::to_next); ++r) {
    all.push_back({static_cast<Relation>(r), {}});
  }
  const auto of = [&](Relation relation) -> std::vector<Trial>& {
    return all[static_cast<std::size_t>(relation)].trials;
  };
  const auto& sentences = marked_sentences();
  for (std::size_t s = 0; s < sentences.size(); ++s) {
    const auto sentence = static_cast<Index>(s);
    const std::vector<Word> words =
        words_of(model.vocabulary, pieces_of(model, sentences[s].text));
    const HeadMaps maps = word_maps(many, sentence, words);
    for (const Mark& mark : sentences[s].marks) {
      of(mark.relation).push_back(trial_of(maps, sentence,
                                           place_of(words, mark.from),
                                           place_of(words, mark.to)));
    }
    for (Index i = 0; i + 1 < std::ssize(words); ++i) {
      of(Relation::to_next).push_back(trial_of(maps, sentence, i, i + 1));
      of(Relation::to_previous).push_back(trial_of(maps, sentence, i + 1, i));
    }
  }
  return all;
}
// [count relations]

// [pair counts]
PairCounts pronoun_pairs_of(const Model& model, const ManyTexts& many,
                            Index head) {
  PairCounts counts;
  const auto mark_of = [](Index sentence) -> const Mark& {
    for (const Mark& mark :
         marked_sentences()[static_cast<std::size_t>(sentence)].marks) {
      if (mark.relation == Relation::pronoun_to_person) return mark;
    }
    throw std::logic_error("a sentence of the pairs has no pronoun marked");
  };
  std::vector<Index> differences;
  for (Index pair = 0; pair < pronoun_pairs; ++pair) {
    Index found = 0, missed = 0;
    for (Index s = 2 * pair; s < 2 * pair + 2; ++s) {
      const Mark& mark = mark_of(s);
      const Mark& partner = mark_of(s ^ 1);
      const std::vector<Word> words = words_of(
          model.vocabulary,
          pieces_of(model,
                    marked_sentences()[static_cast<std::size_t>(s)].text));
      const Index at = looks_at(word_map(many.map(s, head), words),
                                place_of(words, mark.from));
      const bool right = at == place_of(words, mark.to);
      const bool other = at == place_of(words, partner.to);
      counts.right += right, counts.other += other;
      counts.neither += !right && !other;
      found += right, missed += other;
    }
    counts.both += found == 2;
    differences.push_back(found - missed);
  }
  counts.p = sign_flips(differences);
  return counts;
}
// [pair counts]

// [habit of]
Habit habit_of(const Model& model, const ManyTexts& many, Index head) {
  Habit habit{0, 0, 0, 0, 1, 0, 0};
  std::map<Index, Index> looks;                 // at each offset, how many
  std::vector<std::map<Index, Index>> in_each;  // in one sentence
  double rows = 0;
  for (Index s = 0; s < many.size(); ++s) {
    const auto& text = marked_sentences()[static_cast<std::size_t>(s)].text;
    const mha::Matrix<double> map = word_map(
        many.map(s, head), words_of(model.vocabulary, pieces_of(model, text)));
    in_each.emplace_back();
    for (Index i = 0; i < map.rows(); ++i, ++rows) {
      if (i > 0) habit.before += map(i, i - 1);
      habit.itself += map(i, i);
      if (i + 1 < map.rows()) habit.after += map(i, i + 1);
      habit.spread += mha::entropy_bits(map.row(i)) /
                      std::log2(static_cast<double>(map.cols()));
      const Index offset = looks_at(map, i) - i;
      ++looks[offset], ++in_each.back()[offset];
    }
  }
  for (double* mean :
       {&habit.before, &habit.itself, &habit.after, &habit.spread}) {
    *mean /= rows;
  }
  habit.usual = looks[-1] >= looks[1] ? -1 : 1;
  for (auto& sentence : in_each) {
    Index words = 0;
    for (const auto& [offset, count] : sentence) words += count;
    const double share = static_cast<double>(sentence[habit.usual]) /
                         static_cast<double>(words - 1);
    habit.least = std::min(habit.least, share);
    habit.most = std::max(habit.most, share);
  }
  return habit;
}
// [habit of]

// [relation names]
const char* relation_name(Relation relation) {
  switch (relation) {
    case Relation::pronoun_to_person: return "pronoun to person";
    case Relation::person_to_pronoun: return "person to pronoun";
    case Relation::verb_to_subject: return "verb to subject";
    case Relation::subject_to_verb: return "subject to verb";
    case Relation::verb_to_object: return "verb to object";
    case Relation::to_previous: return "to the word before";
    case Relation::to_next: return "to the next word";
  }
  return "";
}
// [relation names]

// [printing relations]
void print_relations(const std::vector<Counts>& all) {
  mha::heading("How often the marked word is looked at most");
  fmt::print("{:<19}  n chance offset", "in percent");
  for (Index h = 0; h < n_all_heads; ++h) fmt::print("  {}", head_name(h));
  fmt::print("\n");
  const auto percent = [](Index hits, Index n) {
    return 100 * static_cast<double>(hits) / static_cast<double>(n);
  };
  for (const Counts& counts : all) {
    fmt::print("{:<19}{:4} {:5.0f}", relation_name(counts.relation),
               counts.n(), 100 * counts.chance());
    fmt::print(" {:6.0f}", percent(counts.hits_at(counts.best_offset()),
                                   counts.n()));
    for (Index h = 0; h < n_all_heads; ++h) {
      fmt::print(" {:4.0f}", percent(counts.hits(h), counts.n()));
    }
    fmt::print("\n");
  }
}

void print_verdicts(const std::vector<Counts>& all) {
  mha::heading("The best head for each, and what it is worth");
  const std::vector<double> p = corrected_p(all);
  fmt::print("                    head  hits of n     95 %     anyway  offset  "
             "hits  p, Holm\n");
  for (std::size_t r = 0; r < p.size() / n_all_heads; ++r) {
    const Counts& counts = all[r];
    const Index h = counts.best_head(), hits = counts.hits(h);
    const Interval range = wilson(hits, counts.n());
    const std::size_t place = r * n_all_heads + static_cast<std::size_t>(h);
    fmt::print("{:<19} {:>4} {:5} of {:<3} {:3.0f} to {:2.0f} % {:5.0f} % {:+5} "
               "{:7}  {:.3f}\n",
               relation_name(counts.relation), head_name(h), hits, counts.n(),
               100 * range.low, 100 * range.high, 100 * counts.anyway(h),
               counts.best_offset(), counts.hits_at(counts.best_offset()),
               p[place]);
  }
}

void print_pairs_found(const Model& model, const ManyTexts& many) {
  mha::heading("One pronoun, two persons");
  fmt::print("head  right person  the other  neither        p, by pairs   both "
             "of a pair\n");
  for (Index h = 0; h < n_all_heads; ++h) {
    const PairCounts counts = pronoun_pairs_of(model, many, h);
    fmt::print("{:<5} {:12} {:10} {:8} {:>18} {:9} of {}\n", head_name(h),
               counts.right, counts.other, counts.neither,
               counts.right + counts.other < 6
                   ? "-" : fmt::format("{:.4f}", counts.p),
               counts.both, pronoun_pairs);
  }
}

void print_habits(const Model& model, const ManyTexts& many) {
  mha::heading("What a head does on average");
  fmt::print("      mean weight on the word      spread  looks most at the "
             "neighbour\n");
  fmt::print("head  before  itself  after               which   in a sentence"
             "\n");
  for (Index h = 0; h < n_all_heads; ++h) {
    const Habit habit = habit_of(model, many, h);
    fmt::print("{:<5} {:6.2f} {:7.2f} {:6.2f} {:11.2f} {:>11} {:6.0f} to {:.0f} "
               "%\n",
               head_name(h), habit.before, habit.itself, habit.after,
               habit.spread, habit.usual < 0 ? "before" : "after",
               100 * habit.least, 100 * habit.most);
  }
}
// [printing relations]

}  // namespace trained
