/// \file predictor.hpp
/// What a hypothesis says about some rows of the output, or about all.
#pragma once

#include "reading.hpp"
#include "variation.hpp"

#include <map>
#include <memory>
#include <vector>

namespace diagnose {

/// Which numbers of an output are asked for.
struct Probe {
  std::vector<Index> rows;          ///< each from 0 to batch T_q - 1
  /// None: all. Not for a layer, all of whose columns need every head.
  std::vector<Index> columns = {};
};

/// Numbers of an output as a hypothesis predicts them.
struct Prediction {
  Numbers output;           ///< (rows asked for, columns asked for)
  double highest_score = 0;  ///< the largest score by size, of those used
};

/// A hypothesis that would take too much memory at this size.
struct TooLarge {};

/// Computes predictions of one reading, and keeps what several share. A few
/// rows of the output need a few rows of the scores, whatever the layout.
class Predictor {
 public:
  /// \param reading  must outlive the predictor
  explicit Predictor(const Reading& reading) : reading_(reading) {}

  /// \param hypothesis  what to assume
  /// \param probe       which numbers
  /// \param rounded     whether every step is rounded to the file's type, as
  ///                    an implementation in that type would
  /// \returns these numbers
  /// \throws TooLarge
  Prediction predict(const Hypothesis& hypothesis, const Probe& probe,
                     bool rounded = false);

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
  using Shared = std::shared_ptr<const Numbers>;
  // What one head's context is made of.
  struct Inputs {
    Index b;
    std::vector<Index> wanted, rows;  // wanted, and those needed for them
    Shared q, k, v;
    std::shared_ptr<const mha::BoolMatrix> seen, open;
  };
  struct Context {
    Numbers numbers;
    double highest = 0;
  };
  using Reread = Weights (*)(const Weights&, Index);
  using Before = Call (*)(const Call&);

  const Weights& weights(Reread reread);
  const Call& projected(Reread reread);
  const Call& call_for(const Hypothesis& hypothesis);
  Shared head(const Hypothesis& hypothesis, const Call& call, int which,
              Index b, Index h);
  Numbers product(const Numbers& x, const Numbers& w);
  Sources sources(const Hypothesis& hypothesis, const Call& call,
                  const Probe& probe);
  Inputs inputs_of(const Hypothesis& hypothesis, const Call& call, Index map,
                   const std::vector<Index>& rows);
  Context context(const Hypothesis& hypothesis, const Call& call,
                  const Inputs& inputs, bool rounded) const;
  std::shared_ptr<const mha::BoolMatrix> visible(
      const Hypothesis& hypothesis, const Call& call, Index b,
      const std::vector<Index>& rows, bool padding);
  void round(Numbers& numbers) const;

  using Head = std::tuple<Reread, Before, decltype(gallery::Steps::take), int,
                          Index, Index>;
  using Visible = std::tuple<Before, decltype(gallery::Steps::visible), Index,
                             bool>;
  using Place = std::tuple<Before, decltype(gallery::Rewrite::after),
                           decltype(gallery::Steps::put)>;

  const Reading& reading_;
  std::map<Reread, Weights> weights_;
  std::map<Reread, Call> projected_;
  std::map<std::pair<Reread, Before>, Call> calls_;
  std::map<Head, Shared> heads_;
  std::map<Visible, std::shared_ptr<const mha::BoolMatrix>> visible_;
  std::map<Place, Numbers> places_;  // which number goes where
  struct Product {
    const double* x;
    Numbers w, y;
  };
  std::vector<Product> products_;
};

}  // namespace diagnose
