#include "model_problem.hpp"
#include "the_model.hpp"
#include "trained_circuits.hpp"

#include "mha/measure.hpp"

#include <Eigen/SVD>
#include <doctest/doctest.h>

#include <algorithm>

namespace {

// [small vocabulary]
using mha::Index;
using namespace std::string_literals;

const std::string& sentence(std::size_t i) {
  return trained::marked_sentences()[i].text;
}

// Numbers 0 to 5 stand for nothing; then the pieces.
trained::Vocabulary small_vocabulary(std::vector<trained::Piece> pieces) {
  pieces.insert(pieces.begin(), 6, {"-", 0});
  return {std::move(pieces), 6};
}

// The best score of all cuts, by trying every one.
double best_score(const trained::Vocabulary& vocabulary,
                  std::string_view text) {
  if (text.empty()) return 0;
  double best = -1e9;
  for (std::size_t n = 1; n <= text.size(); ++n) {
    const Index id = vocabulary.find(text.substr(0, n));
    if (id < 0) continue;
    best = std::max(best, vocabulary.log_probability(id) +
                              best_score(vocabulary, text.substr(n)));
  }
  return best;
}
// [small vocabulary]

}  // namespace

TEST_CASE("of all cuts of a text the best is taken") {
  const trained::Vocabulary vocabulary = small_vocabulary(
      {{"\u2581", -1}, {"a", -2}, {"b", -3}, {"ab", -4.5}, {"ba", -1},
       {"aab", -3.5}, {"\u2581a", -2}});
  mha::TorchGenerator generator(91);
  for (int trial = 0; trial < 200; ++trial) {
    std::string text;
    for (Index n = 1 + generator.integer(10); n > 0; --n) {
      text += generator.integer(2) == 0 ? 'a' : 'b';
    }
    double score = 0;
    std::string joined;
    for (const Index id : trained::tokenize(vocabulary, text)) {
      score += vocabulary.log_probability(id);
      joined += vocabulary.text(id);
    }
    CHECK(joined == "\u2581" + text);
    CHECK(score == doctest::Approx(best_score(vocabulary, "\u2581" + text)));
  }
}

TEST_CASE("what is in no piece becomes one unknown, however much it is") {
  const trained::Vocabulary vocabulary =
      small_vocabulary({{"\u2581", -1}, {"a", -2}});
  CHECK(trained::tokenize(vocabulary, "axyza") ==
        std::vector<Index>{6, 7, 0, 7});
  CHECK(trained::tokenize(vocabulary, "\u00e9\u732b") ==
        std::vector<Index>{6, 0});
  CHECK(trained::tokenize(vocabulary, "").empty());
}

TEST_CASE("the lesson's sentence is cut into 14 pieces") {
  CHECK(trained::pieces_of(trained::the_model(), trained::lesson) ==
        std::vector<Index>{9, 1173, 7, 20, 2096, 2034, 550, 25, 9, 2100, 113,
                           35, 89, 7});
}

TEST_CASE("a text that cannot be read is refused in one line") {
  const auto refuses = [](const std::string& text, const char* why) {
    try {
      trained::pieces_of(trained::the_model(), text);
      return false;
    } catch (const std::invalid_argument& error) {
      const std::string said = error.what();
      return said.find(why) != std::string::npos &&
             said.find('\n') == std::string::npos && said.size() < 200;
    }
  };
  CHECK(refuses("", "the text is empty"));
  CHECK(refuses("    ", "the text is empty"));
  CHECK(refuses(std::string(10 << 20, 'a'), "has 10485760 bytes"));
  CHECK(refuses("caf\xe9", "not UTF-8"));
  CHECK(refuses("cut off \xe2\x96", "not UTF-8"));
  CHECK(refuses("two\nlines", "on one line"));
  CHECK(refuses("a\0b"s, "not UTF-8"));
  std::string long_text;
  for (int i = 0; i < 129; ++i) long_text += "the ";
  CHECK(refuses(long_text, "is cut into"));
}

TEST_CASE("float32 gives what double precision gives") {
  const trained::Model& model = trained::the_model();
  const trained::Encoder<double> exact = model.encoder.cast<double>();
  for (const std::size_t i : {0u, 33u, 50u, 62u}) {
    const auto ids = trained::pieces_of(model, sentence(i));
    const auto got = trained::read_text(model.encoder, ids);
    const auto expected = trained::read_text(exact, ids);
    // Some thousand roundings, whose errors mostly cancel.
    CHECK(mha::max_abs_difference(got.embedding, expected.embedding) <= 1e-5);
    for (std::size_t layer = 0; layer < 2; ++layer) {
      for (std::size_t h = 0; h < 4; ++h) {
        CHECK(mha::max_abs_difference(
                  got.layers[layer].result.weights[h],
                  expected.layers[layer].result.weights[h]) <= 1e-5);
      }
    }
  }
}

TEST_CASE("a text gives the same alone and among many") {
  const trained::ManyTexts& many = trained::the_sentences();
  const auto embeddings = many.embeddings(trained::all_open());
  for (const Index i : {0, 20, 62}) {
    const auto reading = trained::read_text(
        trained::the_model().encoder,
        trained::pieces_of(trained::the_model(),
                           sentence(static_cast<std::size_t>(i))));
    CHECK(mha::max_abs_difference(embeddings.row(i), reading.embedding) <=
          1e-5);
    for (Index h = 0; h < trained::n_all_heads; ++h) {
      CHECK(mha::max_abs_difference(
                many.map(i, h),
                reading.layers[static_cast<std::size_t>(h / 4)]
                    .result.weights[static_cast<std::size_t>(h % 4)]) <= 1e-5);
    }
  }
}

TEST_CASE("a piece counts twice as it enters, or the embedding is another") {
  const trained::Encoder<float>& encoder = trained::the_model().encoder;
  const auto ids = trained::pieces_of(trained::the_model(), trained::lesson);
  trained::Matrix<float> once = trained::enter(encoder, ids);
  for (std::size_t t = 0; t < ids.size(); ++t) {
    once.row(static_cast<Index>(t)) -= encoder.embeddings.row(ids[t]);
  }
  const double apart = mha::max_abs_difference(
      trained::read_rows(encoder, once).embedding,
      trained::read_text(encoder, ids).embedding);
  CHECK(apart > 0.1);
}

TEST_CASE("a trained layer is the sum of what its heads write, too") {
  const trained::Model& model = trained::the_model();
  const trained::Encoder<double> exact = model.encoder.cast<double>();
  const auto reading = trained::read_text(
      exact, trained::pieces_of(model, trained::lesson));
  for (std::size_t layer = 0; layer < 2; ++layer) {
    const auto& attention = exact.layers[layer].attention;
    const auto& result = reading.layers[layer].result;
    mha::Matrix<double> sum =
        attention.weights().b_o.replicate(result.output.rows(), 1);
    for (Index h = 0; h < 4; ++h) {
      sum += trained::written_by(result, attention, h);
    }
    CHECK(mha::max_abs_difference(sum, result.output) <= 1e-12);
  }
}

TEST_CASE("a gate that is shut is a head whose rows of w_o are zero") {
  const trained::Model& model = trained::the_model();
  trained::Encoder<float> changed = model.encoder;
  mha::LayerWeights<float> w = changed.layers[0].attention.weights();
  w.w_o.middleRows(2 * 64, 64).setZero();
  changed.layers[0].attention = {std::move(w), 4};
  trained::Gates gates = trained::all_open();
  gates[2] = 0;
  const auto ids = trained::pieces_of(model, sentence(5));
  CHECK(mha::max_abs_difference(
            trained::the_sentences().embeddings(gates).row(5),
            trained::read_text(changed, ids).embedding) <= 1e-5);
}

TEST_CASE("a thin product has the singular values of a small one") {
  mha::TorchGenerator generator(92);
  const auto w = mha::torch_layer_weights(generator, 24).cast<double>();
  for (Index h = 0; h < 3; ++h) {
    const std::vector<double> got =
        trained::circuit_spectrum(w, 3, h, trained::Circuit::ov);
    const Eigen::MatrixXd circuit =
        mha::head_of(w.w_v, h, 8) * w.w_o.middleRows(h * 8, 8);
    const Eigen::JacobiSVD<Eigen::MatrixXd> whole(circuit);
    REQUIRE(got.size() == 8);
    for (Index i = 0; i < 8; ++i) {
      CHECK(std::abs(got[static_cast<std::size_t>(i)] -
                     whole.singularValues()(i)) <= 1e-12);
    }
    CHECK(whole.singularValues()(8) <= 1e-12);
  }
}

TEST_CASE("every trained circuit has the full rank of its head") {
  for (const auto& layer : trained::the_model().encoder.layers) {
    const auto w = layer.attention.weights().cast<double>();
    for (Index h = 0; h < 4; ++h) {
      for (const auto circuit : {trained::Circuit::qk, trained::Circuit::ov}) {
        const auto s = trained::circuit_spectrum(w, 4, h, circuit);
        CHECK(s.back() > 1e-3 * s.front());
      }
    }
  }
}

TEST_CASE("one direction rules head 1.3, and the others share evenly") {
  const auto w =
      trained::the_model().encoder.layers[1].attention.weights().cast<double>();
  std::vector<double> s =
      trained::circuit_spectrum(w, 4, 3, trained::Circuit::ov);
  CHECK(1 / trained::stable_rank(s) > 0.3);
  CHECK(s[0] > 4 * s[1]);
  s.erase(s.begin());
  CHECK(trained::stable_rank(s) > 30);  // a fresh head of this width has 41
}

TEST_CASE("mean beats first beats random, on trained heads too") {
  std::vector<std::vector<Index>> texts;
  for (const std::size_t i : {0u, 30u, 40u, 50u, 62u}) {
    texts.push_back(trained::pieces_of(trained::the_model(), sentence(i)));
  }
  const auto error = [&](Index n_kv_heads, trained::Kept kept) {
    return trained::pooled_error(trained::the_model().encoder, texts,
                                 n_kv_heads, kept);
  };
  for (const Index n_kv_heads : {2, 1}) {
    const auto mean = error(n_kv_heads, trained::Kept::mean);
    const auto first = error(n_kv_heads, trained::Kept::first);
    const auto random = error(n_kv_heads, trained::Kept::random);
    for (const int layer : {0, 1}) {
      CHECK(mean.output[layer] < first.output[layer]);
      CHECK(first.output[layer] < random.output[layer]);
    }
    CHECK(mean.loss < first.loss);
    CHECK(first.loss < random.loss);
  }
}
