#include "the_model.hpp"
#include "trained_circuits.hpp"
#include "wrong_pruning.hpp"

#include "mha/measure.hpp"

#include <Eigen/LU>
#include <Eigen/SVD>
#include <doctest/doctest.h>

#include <set>
#include <sstream>

namespace {

// [counted once]
using mha::Index;
using trained::Relation;

const trained::Counts& counts_of(Relation relation) {
  static const auto all = trained::count_relations(trained::the_model(),
                                                   trained::the_sentences());
  return all[static_cast<std::size_t>(relation)];
}

trained::Ablation& the_ablation() {
  static trained::Ablation ablation(trained::the_sentences());
  return ablation;
}

double share(Relation relation, Index head) {
  const trained::Counts& counts = counts_of(relation);
  return static_cast<double>(counts.hits(head)) /
         static_cast<double>(counts.n());
}
// [counted once]

// [words apart]
std::vector<std::string> split(const std::string& text) {
  std::istringstream stream(text);
  std::vector<std::string> words;
  for (std::string word; stream >> word;) words.push_back(word);
  return words;
}
// [words apart]

}  // namespace

TEST_CASE("the sentences of a pair differ in one word, and it is the pronoun") {
  const auto& all = trained::marked_sentences();
  CHECK(all.size() >= 50);
  std::set<std::string> texts;
  for (const auto& sentence : all) texts.insert(sentence.text);
  CHECK(texts.size() == all.size());
  CHECK(!texts.contains(std::string(trained::lesson)));
  for (std::size_t pair = 0; pair < trained::pronoun_pairs; ++pair) {
    const auto one = split(all[2 * pair].text);
    const auto two = split(all[2 * pair + 1].text);
    REQUIRE(one.size() == two.size());
    std::vector<std::string> differing;
    for (std::size_t i = 0; i < one.size(); ++i) {
      if (one[i] != two[i]) differing.push_back(one[i]);
    }
    REQUIRE(differing.size() == 1);
    bool is_marked = false;
    for (const auto& mark : all[2 * pair].marks) {
      is_marked = is_marked || (mark.relation == Relation::pronoun_to_person &&
                                mark.from == differing[0]);
    }
    CHECK(is_marked);
  }
}

TEST_CASE("a map of words is a map: its rows sum to 1") {
  for (Index s = 0; s < trained::the_sentences().size(); ++s) {
    const auto words = trained::words_of(
        trained::the_model().vocabulary,
        trained::pieces_of(
            trained::the_model(),
            trained::marked_sentences()[static_cast<std::size_t>(s)].text));
    const auto map = trained::word_map(trained::the_sentences().map(s, 7),
                                       words);
    const Eigen::VectorXd sums = map.rowwise().sum();
    CHECK(mha::max_abs_difference(sums, Eigen::VectorXd::Ones(map.rows())) <=
          1e-5);
  }
}

TEST_CASE("Wilson's interval is what its formula says") {
  // 1 of 10, worked out by hand: (0.1 + 0.192) / 1.384 and half a width.
  const trained::Interval one = trained::wilson(1, 10);
  CHECK(one.low == doctest::Approx(0.01788).epsilon(0.001));
  CHECK(one.high == doctest::Approx(0.40415).epsilon(0.001));
  CHECK(trained::wilson(0, 20).low == 0);
  CHECK(trained::wilson(0, 20).high > 0.1);  // none in 20 is not never
  CHECK(trained::wilson(20, 20).high == 1);
}

TEST_CASE("sign flips count tosses, and Holm's correction how many tests") {
  CHECK(trained::sign_flips({1, 1, 1, 1, 1}) == doctest::Approx(2.0 / 32));
  CHECK(trained::sign_flips({1, -1, 0, 1, 1}) == doctest::Approx(10.0 / 16));
  CHECK(trained::sign_flips({2, -1}) == 1);
  CHECK(trained::sign_flips({2, 2}) == doctest::Approx(2.0 / 4));  // two pairs
  const std::vector<double> p = trained::holm({0.04, 0.01, 0.03});
  CHECK(p[0] == doctest::Approx(0.06));
  CHECK(p[1] == doctest::Approx(0.03));
  CHECK(p[2] == doctest::Approx(0.06));
}

TEST_CASE("head 1.0 of the lesson's sentence does not keep its promise") {
  const auto reading = trained::read_text(
      trained::the_model().encoder,
      trained::pieces_of(trained::the_model(), trained::lesson));
  Index most = 0;
  reading.layers[1].result.weights[0].row(4).maxCoeff(&most);
  CHECK(most == 12);  // from "Pri" to "her"
  // And over all sentences its share is below one third, with room to spare.
  CHECK(share(Relation::person_to_pronoun, 4) < 0.33);
}

TEST_CASE("two heads look at a neighbour, nine times in ten") {
  CHECK(share(Relation::to_previous, 3) > 0.9);
  CHECK(share(Relation::to_next, 2) > 0.9);
  for (Index h = 4; h < 8; ++h) {  // no head of layer 1 does
    CHECK(share(Relation::to_previous, h) < 0.5);
    CHECK(share(Relation::to_next, h) < 0.5);
  }
}

TEST_CASE("three heads beat any distance to the person, and one beats luck") {
  const trained::Counts& counts = counts_of(Relation::pronoun_to_person);
  for (const Index head : {Index{0}, Index{5}, Index{7}}) {
    CHECK(counts.hits(head) > 2 * counts.hits_at(counts.best_offset()));
    // Forty heads and relations are tried; 0.05 / 40 is Bonferroni's limit.
    CHECK((counts.p_against_offset(head) < 0.05 / 40) == (head == 7));
  }
}

TEST_CASE("no head finds the subject as often as counting words does") {
  for (const Relation relation :
       {Relation::verb_to_subject, Relation::subject_to_verb}) {
    const trained::Counts& counts = counts_of(relation);
    for (Index h = 0; h < trained::n_all_heads; ++h) {
      CHECK(counts.hits(h) < counts.hits_at(counts.best_offset()));
    }
  }
}

TEST_CASE("at the whole model the loss is flat and the embedding is not") {
  for (Index h = 0; h < trained::n_all_heads; ++h) {
    CHECK(std::abs(the_ablation().slope_of_loss(h)) < 0.01);
    CHECK(the_ablation().slope(h) > 0.3);
  }
}

TEST_CASE("head 1.1 is missed most, whatever takes its place") {
  for (const auto in_place : {trained::InPlace::zero, trained::InPlace::mean}) {
    for (Index h = 0; h < trained::n_all_heads; ++h) {
      if (h == 5) continue;
      CHECK(the_ablation().loss(trained::only(h), in_place) <
            the_ablation().loss(trained::only(5), in_place));
    }
  }
}

TEST_CASE("without a second head the loss can be smaller than without one") {
  CHECK(the_ablation().loss(trained::both(5, 7)) <
        the_ablation().loss(trained::only(5)));
  CHECK(the_ablation().loss(trained::both(5, 6)) >
        the_ablation().loss(trained::only(5)) +
            the_ablation().loss(trained::only(6)));
}

TEST_CASE("one head left over is worse than none") {
  CHECK(the_ablation().loss(trained::HeadSet().set()) <
        the_ablation().loss(trained::HeadSet().set().reset(7)));
}

TEST_CASE("a pruned layer gives what the heads that are left write") {
  for (const pruning::Case& one : pruning::cases()) {
    CHECK(pruning::fault_of(one).empty() == (one.name == "slices"));
  }
}

TEST_CASE("a head one wide can have weights of rank 3") {
  const mha::Matrix<double> q{{0}, {1}, {2}};
  const auto result = mha::attention(q, q, q);
  // Scores i j are of rank 1; the determinant of their softmax is not zero.
  CHECK(std::abs(result.scores.topLeftCorner(2, 2).determinant()) <= 1e-15);
  CHECK(result.weights.determinant() == doctest::Approx(0.024431).epsilon(1e-4));
}

TEST_CASE("the maps of a long text have a higher rank than the head is wide") {
  std::string text;
  for (std::size_t i = 0; i < 12; ++i) {
    text += (i == 0 ? "" : " ") + trained::marked_sentences()[4 * i].text;
  }
  const auto ids = trained::pieces_of(trained::the_model(), text);
  REQUIRE(ids.size() > 100);
  const trained::Encoder<double> exact =
      trained::the_model().encoder.cast<double>();
  const auto reading = trained::read_text(exact, ids);
  const auto rank = [](const Eigen::MatrixXd& matrix) {
    const Eigen::BDCSVD<Eigen::MatrixXd> svd(matrix);
    return (svd.singularValues().array() >
            1e-12 * svd.singularValues()(0)).count();
  };
  const auto& layer = exact.layers[0].attention;
  const auto& w = layer.weights();
  const auto& x = reading.layers[0].normed;
  const mha::Matrix<double> q = mha::project(x, w.w_q, w.b_q, "x");
  const mha::Matrix<double> k = mha::project(x, w.w_k, w.b_k, "x");
  CHECK(rank(mha::head_of(q, 0, 64) * mha::head_of(k, 0, 64).transpose()) ==
        64);
  CHECK(rank(reading.layers[0].result.weights[0]) == std::ssize(ids));
}
