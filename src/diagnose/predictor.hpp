/// \file predictor.hpp
/// What a hypothesis says about some rows of the output, or about all.
#pragma once

#include "reading.hpp"
#include "variation.hpp"

#include <map>
#include <memory>
#include <vector>

namespace diagnose {

/// Rows of an output as a hypothesis predicts them.
struct Prediction {
  Numbers output;           ///< (rows asked for, width of the output)
  double highest_score = 0;  ///< the largest score by size, of those used
};

/// Computes predictions of one reading, and keeps what several share. A few
/// rows of the output need a few rows of the scores, whatever the layout.
class Predictor {
 public:
  /// \param reading  must outlive the predictor
  explicit Predictor(const Reading& reading) : reading_(reading) {}

  /// \param hypothesis  what to assume
  /// \param rows        of the output, each from 0 to batch T_q - 1
  /// \param rounded     whether every step is rounded to the file's type, as
  ///                    an implementation in that type would
  /// \returns these rows
  Prediction predict(const Hypothesis& hypothesis,
                     const std::vector<Index>& rows, bool rounded = false);

 private:
  // Where an element of the output comes from.
  struct Origin {
    Index row, col;        // of what was asked for
    Index map;             // b n_heads + h
    Index i, c;            // row and column of that head's context
  };
  struct Sources {
    std::vector<Origin> origins;
    std::map<Index, std::vector<Index>> rows_of;  // of each map, in order
  };
  using Reread = Weights (*)(const Weights&, Index);
  using Before = Call (*)(const Call&);

  const Weights& weights(Reread reread);
  const Call& projected(Reread reread);
  const Call& call_for(const Hypothesis& hypothesis);
  const Numbers& head(const Hypothesis& hypothesis, const Call& call,
                      int which, Index b, Index h);
  Numbers product(const Numbers& x, const Numbers& w);
  Sources sources(const Hypothesis& hypothesis, const Call& call,
                  const std::vector<Index>& rows);
  Numbers context(const Hypothesis& hypothesis, const Call& call, Index map,
                  const std::vector<Index>& rows, bool rounded,
                  double& highest);
  const mha::BoolMatrix& visible(const Hypothesis& hypothesis,
                                 const Call& call, Index b,
                                 const std::vector<Index>& rows, bool padding);
  void round(Numbers& numbers) const;

  using Head = std::tuple<Reread, Before, decltype(gallery::Steps::take), int,
                          Index, Index>;
  using Visible = std::tuple<Before, decltype(gallery::Steps::visible), Index,
                             bool, std::vector<Index>>;
  using Place = std::tuple<Before, decltype(gallery::Rewrite::after),
                           decltype(gallery::Steps::put)>;

  const Reading& reading_;
  std::map<Reread, Weights> weights_;
  std::map<Reread, Call> projected_;
  std::map<std::pair<Reread, Before>, Call> calls_;
  std::map<Head, Numbers> heads_;
  std::map<Visible, mha::BoolMatrix> visible_;
  std::map<Place, Numbers> places_;  // which number goes where
  struct Product {
    const double* x;
    Numbers w, y;
  };
  std::vector<Product> products_;
};

}  // namespace diagnose
