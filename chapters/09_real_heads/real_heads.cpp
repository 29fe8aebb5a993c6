// Chapter 9: do trained heads really specialise?
#include "head_ablation.hpp"
#include "head_figures.hpp"
#include "model_problem.hpp"
#include "relation_counts.hpp"
#include "trained_circuits.hpp"
#include "wrong_pruning.hpp"

#include "mha/measure.hpp"
#include "mha/program.hpp"

#include <nlohmann/json.hpp>

#include <fstream>
#include <optional>

namespace {

// [options]
using mha::Index;

struct Options {
  std::string text{trained::lesson};
  Index layer = -1;  // both of them
  Index head = -1;   // all of them
  bool ablate = false, circuits = false, cases = false, reports = false;
  std::string model = trained::model_folder().string();
  std::string lines;
};
// [options]

// [demo parts]
void print_pieces(const trained::Model& model, const std::vector<Index>& ids) {
  mha::heading("Pieces");
  for (std::size_t i = 0; i < ids.size(); ++i) {
    fmt::print("{}{}:{}", i == 0 ? "" : i % 7 == 0 ? "\n" : " ",
               model.vocabulary.text(ids[i]), ids[i]);
  }
  fmt::print("\n");
}

// Of every piece: which piece has the largest weight, in each head.
void print_looks(const trained::Model& model, const std::vector<Index>& ids,
                 const trained::Reading<float>& reading, Index chosen) {
  for (std::size_t layer = 0; layer < reading.layers.size(); ++layer) {
    if (chosen >= 0 && static_cast<Index>(layer) != chosen) continue;
    mha::heading(fmt::format("Where each piece looks most, layer {}", layer));
    const auto& weights = reading.layers[layer].result.weights;
    for (std::size_t i = 0; i < ids.size(); ++i) {
      fmt::print("{:<8}", model.vocabulary.text(ids[i]));
      for (const mha::Matrix<float>& map : weights) {
        Index most = 0;
        const float weight =
            map.row(static_cast<Index>(i)).maxCoeff(&most);
        fmt::print(" {:<8} {:.2f} ", model.vocabulary.text(
                       ids[static_cast<std::size_t>(most)]), weight);
      }
      fmt::print("\n");
    }
  }
}

void print_one_map(const trained::Model& model, const std::vector<Index>& ids,
                   const trained::Reading<float>& reading,
                   const Options& options) {
  const auto& weights =
      reading.layers[static_cast<std::size_t>(options.layer)].result.weights;
  mha::heading(fmt::format("Head {}.{}", options.layer, options.head));
  const auto& map = weights[static_cast<std::size_t>(options.head)];
  const Index columns = std::min<Index>(map.cols(), 14);
  fmt::print("{:<8}", "");
  for (Index j = 0; j < columns; ++j) {  // the beginning of each name
    fmt::print(" {:<4.4}", model.vocabulary.text(
                               ids[static_cast<std::size_t>(j)]));
  }
  fmt::print("\n");
  for (Index i = 0; i < map.rows(); ++i) {
    fmt::print("{:<8}", model.vocabulary.text(
                            ids[static_cast<std::size_t>(i)]));
    for (Index j = 0; j < columns; ++j) fmt::print(" {:.2f}", map(i, j));
    fmt::print("{}\n", columns < map.cols() ? " ..." : "");
  }
}
// [demo parts]

// [lab]
// The model and what was measured on it, made once.
class Lab {
 public:
  explicit Lab(const std::string& folder)
      : model(trained::load_model(folder)),
        many(model.encoder, trained::marked_texts(model)),
        counts(trained::count_relations(model, many)),
        ablation(many) {}

  trained::Model model;
  trained::ManyTexts many;
  std::vector<trained::Counts> counts;
  trained::Ablation ablation;
};
// [lab]

// [lines]
// A line of JSON for each line of a file: pieces, maps, embedding.
void print_lines(const Options& options) {
  constexpr std::uintmax_t most_bytes = 1 << 20;
  constexpr Index most_lines = 1000;
  std::error_code error;
  mha::require(std::filesystem::is_regular_file(options.lines, error),
               "cannot read {}; is it there, and a file?", options.lines);
  mha::require(std::filesystem::file_size(options.lines) <= most_bytes,
               "{} has more than {} bytes; split it", options.lines,
               most_bytes);
  const trained::Model model = trained::load_model(options.model);
  std::ifstream file(options.lines);
  std::string line;
  for (Index lines = 1; std::getline(file, line); ++lines) {
    mha::require(lines <= most_lines, "{} has more than {} lines; split it",
                 options.lines, most_lines);
    const std::vector<Index> ids = trained::pieces_of(model, line);
    const auto reading = trained::read_text(model.encoder, ids);
    nlohmann::json maps = nlohmann::json::array();
    for (const auto& layer : reading.layers) {
      for (const auto& map : layer.result.weights) {
        maps.push_back(std::vector<float>(map.data(),
                                          map.data() + map.size()));
      }
    }
    fmt::print("{}\n", nlohmann::json{
        {"ids", ids}, {"maps", maps},
        {"embedding", std::vector<float>(reading.embedding.begin(),
                                         reading.embedding.end())}}.dump());
  }
}
// [lines]

// [demo]
void print_text(const trained::Model& model, const Options& options) {
  const std::vector<Index> ids = trained::pieces_of(model, options.text);
  const auto reading = trained::read_text(model.encoder, ids);
  print_pieces(model, ids);
  if (options.head >= 0) {
    print_one_map(model, ids, reading, options);
  } else {
    print_looks(model, ids, reading, options.layer);
  }
}

void check_options(const Options& options) {
  const bool one_text = options.text != trained::lesson ||
                        options.layer >= 0 || options.head >= 0;
  const int asked = one_text + options.ablate + options.circuits +
                    options.cases + options.reports + !options.lines.empty();
  mha::require(asked <= 1, "two things were asked for at once; give --text, "
                           "--layer and --head, or one of the others");
  mha::require(options.head < 0 || options.layer >= 0,
               "--head {} is in both layers; add --layer 0 or --layer 1",
               options.head);
}

void demo(const Options& options) {
  check_options(options);
  if (options.reports) return pruning::print_reports();
  if (options.cases) return pruning::print_cases();
  if (!options.lines.empty()) return print_lines(options);
  if (options.circuits) {
    const trained::Model model = trained::load_model(options.model);
    trained::print_circuits(model);
    return trained::print_pooled(model);
  }
  if (options.text != trained::lesson || options.layer >= 0) {
    return print_text(trained::load_model(options.model), options);
  }
  Lab lab(options.model);
  if (options.ablate) {
    trained::print_single_heads(lab.ablation);
    trained::print_pairs(lab.ablation);
    return trained::print_pruning(lab.ablation);
  }
  print_text(lab.model, options);
  trained::print_habits(lab.model, lab.many);
  trained::print_relations(lab.counts);
  trained::print_verdicts(lab.counts);
  trained::print_pairs_found(lab.model, lab.many);
  trained::print_written(lab.model);
}
// [demo]

// [values without the model]
// What the exercises ask for, which no trained weight decides.
void add_exercise_values(mha::Values& values) {
  // Exercise 9.1: the best cut of "abab" by a vocabulary of four pieces.
  const trained::Vocabulary small({{"a", -2}, {"b", -3}, {"ab", -4.5},
                                   {"ba", -1}}, 0);
  values.add("exercise_cut",
             small.log_probability(0) + small.log_probability(3) +
                 small.log_probability(1), "{:.0f}");
}
// [values without the model]

// [values]
void add_reading(mha::Values& values, const Lab& lab) {
  const auto ids = trained::pieces_of(lab.model, trained::lesson);
  const auto reading = trained::read_text(lab.model.encoder, ids);
  const auto weight = [&](std::size_t layer, std::size_t head, Index i,
                          Index j) {
    return static_cast<double>(
        reading.layers[layer].result.weights[head](i, j));
  };
  values.add("pieces", static_cast<double>(ids.size()), "{:.0f}");
  values.add("pri_her", 100 * weight(1, 0, 4, 12), "{:.0f} %");
  values.add("ya_her", 100 * weight(1, 0, 5, 12), "{:.0f} %");
  values.add("pri_itself", 100 * weight(1, 1, 4, 4), "{:.0f} %");
  values.add("were_her", 100 * weight(1, 2, 10, 12), "{:.0f} %");
  const char* names[] = {"weak_10", "weak_11", "weak_12", "weak_13"};
  for (std::size_t h = 0; h < 4; ++h) {  // whose strongest look is weak
    const auto strongest =
        reading.layers[1].result.weights[h].rowwise().maxCoeff().array();
    values.add(names[h], static_cast<double>((strongest < 0.2F).count()),
               "{:.0f}");
  }
  values.add("vocabulary", static_cast<double>(lab.model.vocabulary.size()),
             "{:.0f}");
  values.add("sentences",
             static_cast<double>(trained::marked_sentences().size()),
             "{:.0f}");
  values.add("pairs", trained::pronoun_pairs, "{:.0f}");
  Index tokens = 0;
  for (const auto& text : trained::marked_texts(lab.model)) {
    tokens += std::ssize(text);
  }
  values.add("tokens", static_cast<double>(tokens), "{:.0f}");
  values.add("steady_02",
             100 * trained::habit_of(lab.model, lab.many, 2).least,
             "{:.0f} %");
  values.add("at_most_10",
             100 * trained::habit_of(lab.model, lab.many, 4).most,
             "{:.0f} %");
}

void add_counts(mha::Values& values, const Lab& lab) {
  const auto percent = [&](const std::string& name, Index hits, Index n) {
    values.add(name, 100 * static_cast<double>(hits) / static_cast<double>(n),
               "{:.0f} %");
  };
  const char* names[] = {"pronoun", "person", "subject", "verb", "object",
                         "before", "after"};
  const std::vector<double> p = trained::corrected_p(lab.counts);
  for (std::size_t r = 0; r < lab.counts.size(); ++r) {
    const trained::Counts& counts = lab.counts[r];
    const std::string name = names[r];
    values.add(name + "_n", static_cast<double>(counts.n()), "{:.0f}");
    percent(name + "_offset", counts.hits_at(counts.best_offset()),
            counts.n());
    values.add(name + "_offset_hits",
               static_cast<double>(counts.hits_at(counts.best_offset())),
               "{:.0f}");
    values.add(name + "_chance", 100 * counts.chance(), "{:.0f} %");
    for (Index h = 0; h < trained::n_all_heads; ++h) {
      const std::string at =
          fmt::format("{}_{}{}", name, h / trained::n_heads,
                      h % trained::n_heads);
      const trained::Interval range =
          trained::wilson(counts.hits(h), counts.n());
      percent(at, counts.hits(h), counts.n());
      values.add(at + "_hits", static_cast<double>(counts.hits(h)), "{:.0f}");
      values.add(at + "_low", 100 * range.low, "{:.0f}");
      values.add(at + "_high", 100 * range.high, "{:.0f} %");
      values.add(at + "_anyway", 100 * counts.anyway(h), "{:.0f} %");
      values.add(at + "_itself", static_cast<double>(counts.itself(h)),
                 "{:.0f}");
      const std::size_t place =
          r * trained::n_all_heads + static_cast<std::size_t>(h);
      if (place < p.size()) values.add(at + "_p", p[place], "{:.3f}");
    }
  }
  for (const Index h : {Index{0}, Index{5}, Index{7}}) {
    const auto pairs = trained::pronoun_pairs_of(lab.model, lab.many, h);
    const std::string at = fmt::format("pairs_{}{}", h / 4, h % 4);
    values.add(at + "_right", static_cast<double>(pairs.right), "{:.0f}");
    values.add(at + "_other", static_cast<double>(pairs.other), "{:.0f}");
    values.add(at + "_both", static_cast<double>(pairs.both), "{:.0f}");
    values.add(at + "_p", pairs.p, "{:.4f}");
  }
}

void add_losses(mha::Values& values, Lab& lab) {
  using trained::only;
  std::vector<double> slopes, distances;
  for (Index h = 0; h < trained::n_all_heads; ++h) {
    const std::string at =
        fmt::format("{}{}", h / trained::n_heads, h % trained::n_heads);
    values.add("loss_" + at, lab.ablation.loss(only(h)), "{:.2f}");
    values.add("mean_loss_" + at,
               lab.ablation.loss(only(h), trained::InPlace::mean), "{:.2f}");
    slopes.push_back(lab.ablation.slope(h));
    distances.push_back(lab.ablation.distance(h));
  }
  values.add("rank_agreement", trained::rank_correlation(slopes, distances),
             "{:.2f}");
  values.add("mean_saves_13",
             lab.ablation.loss(only(7)) -
                 lab.ablation.loss(only(7), trained::InPlace::mean), "{:.2f}");
  values.add("loss_11_13", lab.ablation.loss(trained::both(5, 7)), "{:.3f}");
  values.add("loss_11_exact", lab.ablation.loss(only(5)), "{:.3f}");
  values.add("loss_11_12", lab.ablation.loss(trained::both(5, 6)), "{:.2f}");
  values.add("loss_12_more", lab.ablation.loss(only(5)) +
                                 lab.ablation.loss(only(6)), "{:.2f}");
  values.add("loss_all", lab.ablation.loss(trained::HeadSet().set()),
             "{:.2f}");
  values.add("loss_but_13",
             lab.ablation.loss(trained::HeadSet().set().reset(7)), "{:.2f}");
  const trained::Matrix<float> e =
      lab.many.embeddings(trained::all_open());
  const trained::Matrix<float> cosines = e * e.transpose();
  const auto n = static_cast<double>(e.rows());
  values.add("loss_unrelated",
             1 - (static_cast<double>(cosines.sum()) - n) / (n * (n - 1)),
             "{:.2f}");
  double alike = 0;
  for (Index pair = 0; pair < trained::pronoun_pairs; ++pair) {
    alike += static_cast<double>(cosines(2 * pair, 2 * pair + 1));
  }
  values.add("loss_pronoun", 1 - alike / trained::pronoun_pairs, "{:.3f}");
}

// How evenly an OV circuit's directions share: all of them, what the first
// takes, and those behind the first.
void add_directions(mha::Values& values, const std::string& head,
                    std::vector<double> singular) {
  const double rank = trained::stable_rank(singular);
  values.add("ov_rank_" + head, rank, "{:.0f}");
  values.add("ov_first_" + head, 100 / rank, "{:.0f} %");
  singular.erase(singular.begin());
  values.add("ov_rest_" + head, trained::stable_rank(singular), "{:.0f}");
}

mha::Values values(const Options& options) {
  mha::Values values;
  add_exercise_values(values);
  std::optional<Lab> lab;
  try {
    lab.emplace(options.model);
  } catch (const mha::NotFetched& missing) {
    fmt::print(stderr, "real_heads: {}\n", missing.what());
    return values;  // what needs no model is there all the same
  }
  add_reading(values, *lab);
  add_counts(values, *lab);
  add_losses(values, *lab);
  mha::TorchGenerator generator(9);
  mha::torch_layer_weights(generator, 256);
  add_directions(values, "fresh", trained::circuit_spectrum(
      mha::torch_layer_weights(generator, 512).cast<double>(),
      trained::n_heads, 0, trained::Circuit::ov));
  for (std::size_t layer = 0; layer < 2; ++layer) {
    const auto w =
        lab->model.encoder.layers[layer].attention.weights().cast<double>();
    for (Index h = 0; h < trained::n_heads; ++h) {
      add_directions(values, fmt::format("{}{}", layer, h),
                     trained::circuit_spectrum(w, trained::n_heads, h,
                                               trained::Circuit::ov));
    }
  }
  return values;
}
// [values]

// [figures]
std::string figure_of(const Options& options,
                      std::string (*draw)(trained::Ablation&)) {
  Lab lab(options.model);
  return draw(lab.ablation);
}
// [figures]

}  // namespace

// [main]
int main(int argc, char** argv) {
  Options options;
  const mha::Chapter chapter = {
      .name = "real_heads",
      .about = "The heads of a trained model, and what they do.",
      .options = {{"--text", &options.text, "a sentence of your own"},
                  {"--layer", &options.layer, "one layer alone", 0, 1},
                  {"--head", &options.head, "one head's whole map", 0, 3},
                  {"--ablate", &options.ablate, "leave heads out"},
                  {"--circuits", &options.circuits,
                   "singular values, and fewer key/value heads"},
                  {"--cases", &options.cases, "list the wrong prunings"},
                  {"--reports", &options.reports, "list the bug reports"},
                  {"--lines", &options.lines,
                   "read a text on each line of a file, print JSON", 0, 0, {},
                   true},
                  {"--model", &options.model, "folder of another copy", 0, 0,
                   {}, true}},
      .demo = [&] { demo(options); },
      .values = [&] { return values(options); },
      .figures = {{"maps", [&] {
                     return trained::draw_maps(
                         trained::load_model(options.model), options.text);
                   }},
                  {"relations", [&] {
                     return trained::draw_relations(Lab(options.model).counts);
                   }},
                  {"pairs", [&] {
                     return figure_of(options, trained::draw_pairs);
                   }},
                  {"pruning", [&] {
                     return figure_of(options, trained::draw_pruning);
                   }}}};
  return mha::run_chapter(chapter, argc, argv);
}
// [main]
