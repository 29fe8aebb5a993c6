/// \file predictor.hpp
/// What a hypothesis says about some rows of the output, or about all.
#pragma once

#include "projections.hpp"
#include "reading.hpp"
#include "variation.hpp"

#include <array>
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
  /// \param reading      must outlive the predictor
  /// \param projections  of a layer's input; none: the predictor's own
  explicit Predictor(const Reading& reading,
                     std::shared_ptr<Projections> projections = {});

  /// \param hypothesis  what to assume
  /// \param probe       which numbers
  /// \param rounded     whether every step is rounded to the file's type, as
  ///                    an implementation in that type would
  /// \returns these numbers
  /// \throws TooLarge
  /// \throws std::invalid_argument when the hypothesis refuses these sizes
  Prediction predict(const Hypothesis& hypothesis, const Probe& probe,
                     bool rounded = false);

  /// The glued heads, before a layer projects them.
  /// \param hypothesis  what to assume
  /// \param probe       which numbers of them; columns of a layer too
  /// \param rounded     as predict takes it
  /// \returns these numbers
  /// \throws TooLarge
  /// \throws std::invalid_argument when the hypothesis refuses these sizes
  Prediction heads(const Hypothesis& hypothesis, const Probe& probe,
                   bool rounded = false);

  /// \param hypothesis  about a layer
  /// \returns its projections
  /// \throws std::invalid_argument when it refuses these sizes
  std::shared_ptr<const Projection> projection(const Hypothesis& hypothesis) {
    return projections_->of(hypothesis.reread,
                            hypothesis.by_heads ? reading_.call.n_heads : 0);
  }

  /// \returns multiplications so far, in products of matrices
  double multiplications() const { return multiplications_; }

 private:
  // Where an element of the output comes from.
  struct Origin {
    Index row, col;        // of what was asked for
    Index map;             // b n_heads + h
    Index i, c;            // row and column of that head's context
  };
  // Neighbouring columns of a head.
  struct Columns {
    Index first, count;
  };
  struct Sources {
    std::vector<Origin> origins;
    std::map<Index, std::vector<Index>> rows_of;  // of each map, in order
    std::map<Index, Columns> columns_of;          // of each map
  };
  struct Head {
    Numbers numbers;  // (tokens, d_head), or some of its rows
    bool finite = true;
  };
  using SharedHead = std::shared_ptr<const Head>;
  // Which numbers of q, k and v a head has. Row i has first[i],
  // first[i] + step, ...; or, where rows are no such, what `numbers` says.
  struct Places {
    Index cols = 0;
    std::vector<Index> first = {};
    Index step = 1;
    Numbers numbers = {};

    Index rows() const { return std::ssize(first); }
    Index size() const { return rows() + numbers.size(); }
    bool regular() const { return numbers.size() == 0; }
    Index at(Index i, Index j) const {
      return regular() ? first[static_cast<std::size_t>(i)] + j * step
                       : static_cast<Index>(numbers(i, j));
    }
  };
  // What one head's context is made of.
  struct Inputs {
    Index b;
    std::vector<Index> wanted, rows;  // wanted, and those needed for them
    Columns columns;                  // wanted
    Numbers q;                        // those rows
    SharedHead k, v;
    std::shared_ptr<const mha::BoolMatrix> seen, open;
  };
  struct Context {
    Numbers numbers;
    double highest = 0;
  };
  using Before = Call (*)(const Call&);
  // Queries, keys or values, numbered from `first`; those of a layer as long
  // as their projections are kept.
  struct Part {
    Index first;
    const Numbers* numbers;
    const mha::RowVector<double>* bias;  // none: added already, or empty
    Product* product;                    // none: all numbers are there
  };
  struct Parts {
    std::array<Part, 3> of;
    std::shared_ptr<const Projection> projection;  // a layer only
  };

  const Call& call_for(const Hypothesis& hypothesis);
  Parts parts_of(const Hypothesis& hypothesis);
  std::shared_ptr<const Places> places_in(const Hypothesis& hypothesis,
                                           const Call& call, int which,
                                           Index b, Index h);
  void make_products(const Parts& parts, const Places& places);
  Numbers read_at(const Parts& parts, const Places& places);
  static Places places_of(const Numbers& numbers);
  static Places rows_of_places(const Places& all,
                               const std::vector<Index>& rows);
  SharedHead head(const Hypothesis& hypothesis, const Call& call, int which,
                  Index b, Index h);
  Sources sources(const Hypothesis& hypothesis, const Call& call,
                  const Probe& probe);
  Inputs inputs_of(const Hypothesis& hypothesis, const Call& call, Index map,
                   const std::vector<Index>& rows, Columns columns);
  Context context(const Hypothesis& hypothesis, const Call& call,
                  const Inputs& inputs, bool rounded) const;
  struct Rows {
    Index first, count;
  };
  Context context_of(const Hypothesis& hypothesis, const Call& call,
                     const Inputs& inputs, Rows rows, const Head& k,
                     const Head& v, bool rounded) const;
  std::shared_ptr<const mha::BoolMatrix> visible(
      const Hypothesis& hypothesis, const Call& call, Index b,
      const std::vector<Index>& rows, bool padding);
  void round(Numbers& numbers) const;

  using Split = std::tuple<Before, decltype(gallery::Steps::take), int, Index,
                           Index>;
  using Visible = std::tuple<Before, decltype(gallery::Steps::visible), Index,
                             bool>;
  // With the sizes that a merge goes by: items, heads, rows and width.
  using Place = std::tuple<decltype(gallery::Rewrite::after),
                           decltype(gallery::Steps::put), Index, Index, Index,
                           Index>;

  const Reading& reading_;
  std::shared_ptr<Projections> projections_;
  double multiplications_ = 0;
  Index splits_kept_ = 0, heads_kept_ = 0;  // numbers
  // Calls whose queries, keys and values are numbers 0, 1, 2, ... instead.
  std::map<Before, Call> calls_;
  std::map<Split, std::shared_ptr<const Places>> splits_;  // the same of heads
  std::map<std::pair<Reread, Split>, SharedHead> heads_;
  std::map<Visible, std::shared_ptr<const mha::BoolMatrix>> visible_;
  std::map<Place, Numbers> places_;  // which number goes where
};

}  // namespace diagnose
