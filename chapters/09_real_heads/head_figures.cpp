#include "head_figures.hpp"

#include "mha/svg.hpp"

#include <algorithm>

namespace trained {

namespace {

// [names of pieces]
// A low line for the space that a piece begins with.
std::vector<std::string> piece_names(const Model& model,
                                     const std::vector<Index>& ids) {
  std::vector<std::string> names;
  for (const Index id : ids) names.push_back(model.vocabulary.text(id));
  return names;
}

std::vector<std::string> head_names() {
  std::vector<std::string> names;
  for (Index h = 0; h < n_all_heads; ++h) names.push_back(head_name(h));
  return names;
}
// [names of pieces]

// [one small map]
constexpr double cell = 17, names_beside = 58, names_above = 66;

// The weight of a cell is how strong its colour is. Weights below a fiftieth
// stay empty.
void draw_small_map(mha::Svg& svg, const Matrix<float>& weights,
                    const std::vector<std::string>& names,
                    const std::string& title, double left, double top) {
  svg.text(left, top + 12, title, "", "font-weight='600'");
  const double x0 = left + names_beside, y0 = top + names_above;
  const double side = cell * static_cast<double>(names.size());
  svg.rectangle(x0, y0, side, side,
                "fill='none' stroke='var(--quiet,#666)' stroke-opacity='0.4'");
  svg.open_group("font-size='10' fill='var(--quiet,#666)'");
  for (std::size_t i = 0; i < names.size(); ++i) {
    const double at = cell * static_cast<double>(i) + 12;
    svg.text(x0 - 5, y0 + at, names[i], "end");
    svg.text(x0 + at, y0 - 5, names[i], "",
             fmt::format("transform='rotate(-65 {:.0f} {:.0f})'", x0 + at,
                         y0 - 5));
  }
  svg.close_group();
  svg.open_group("fill='var(--heat,#2563a8)'");
  for (Index i = 0; i < weights.rows(); ++i) {
    for (Index j = 0; j < weights.cols(); ++j) {
      if (weights(i, j) < 0.02F) continue;
      svg.rectangle(x0 + cell * static_cast<double>(j) + 0.5,
                    y0 + cell * static_cast<double>(i) + 0.5, cell - 1,
                    cell - 1,
                    fmt::format("fill-opacity='{:.1f}'",
                                std::max(0.1F, weights(i, j))));
    }
  }
  svg.close_group();
}
// [one small map]

}  // namespace

// [draw maps]
std::string draw_maps(const Model& model, std::string_view text) {
  const std::vector<Index> ids = pieces_of(model, text);
  mha::require(ids.size() <= 24,
               "the text has {} pieces, but a picture takes 24; leave --svg "
               "out, or write a shorter text", ids.size());
  const std::vector<std::string> names = piece_names(model, ids);
  const Reading<float> reading = read_text(model.encoder, ids);
  mha::Svg svg("Where each of eight heads looks",
               fmt::format("Eight tables of weights for \"{}\": a row for the "
                           "piece that asks, a column for the piece that is "
                           "looked at. The four heads of layer 0 lie near the "
                           "diagonal; those of layer 1 are spread out.", text));
  const double side = cell * static_cast<double>(names.size());
  const double width = side + names_beside + 34;
  const double height = side + names_above + 22;
  for (Index h = 0; h < n_all_heads; ++h) {
    const auto& layer =
        reading.layers[static_cast<std::size_t>(h / n_heads)];
    draw_small_map(svg,
                   layer.result.weights[static_cast<std::size_t>(h % n_heads)],
                   names, "head " + head_name(h),
                   width * static_cast<double>(h % 2),
                   height * static_cast<double>(h / 2));
  }
  return svg.finish(2 * width, 4 * height);
}
// [draw maps]

// [draw relations]
std::string draw_relations(const std::vector<Counts>& all) {
  mha::HeatMap map{"", Matrix<float>(std::ssize(all), n_all_heads), {},
                   head_names()};
  for (std::size_t r = 0; r < all.size(); ++r) {
    map.rows.push_back(relation_name(all[r].relation));
    for (Index h = 0; h < n_all_heads; ++h) {
      map.values(static_cast<Index>(r), h) =
          static_cast<float>(all[r].hits(h)) / static_cast<float>(all[r].n());
    }
  }
  return mha::draw_heat_maps(
      "How often each head looks most at the marked word",
      "A row for each relation, a column for each head. Only the two rows of "
      "neighbours have cells near 1; in the others the largest stand in the "
      "columns of heads 0.0, 1.1 and 1.3.", {map});
}
// [draw relations]

// [draw pairs]
std::string draw_pairs(Ablation& ablation) {
  mha::HeatMap map{"", Matrix<float>(n_all_heads, n_all_heads), head_names(),
                   head_names()};
  for (Index a = 0; a < n_all_heads; ++a) {
    for (Index b = 0; b < n_all_heads; ++b) {
      map.values(a, b) = static_cast<float>(ablation.loss(both(a, b)));
    }
  }
  return mha::draw_heat_maps(
      "What the embedding loses without two heads",
      "A table of eight by eight heads; on the diagonal one head is left out. "
      "The row of head 1.1 has the largest numbers.", {map});
}
// [draw pairs]

// [draw pruning]
std::string draw_pruning(Ablation& ablation) {
  std::vector<double> slope;
  for (Index h = 0; h < n_all_heads; ++h) slope.push_back(ablation.slope(h));
  mha::LineChart chart;
  chart.title = "Heads taken out one after the other";
  chart.description =
      "Two lines that rise from 0 with every head that goes, up to seven. The "
      "one in the order of derivatives lies above the one that asks anew at "
      "every step, and at the end far above it.";
  chart.x_label = "heads taken out";
  chart.y_label = "loss: 1 less the cosine";
  chart.highest = 0.8;
  for (int i = 0; i < n_all_heads; ++i) {
    chart.x.push_back(fmt::format("{}", i));
  }
  chart.series = {
      {"asked every time", prune_greedily(ablation).loss},
      {"by derivative", prune_in_order(ablation, ascending(slope)).loss}};
  // With all heads gone the lines meet, and their names would too.
  for (mha::Series& series : chart.series) series.y.pop_back();
  return mha::draw_line_chart(chart);
}
// [draw pruning]

}  // namespace trained
