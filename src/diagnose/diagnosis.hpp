/// \file diagnosis.hpp
/// Which hypothesis an output fits.
#pragma once

#include "predictor.hpp"
#include "reading.hpp"

#include <functional>
#include <limits>
#include <string>
#include <vector>

namespace diagnose {

/// An output may be off by so many times what rounding every step to the
/// file's type moves it by. Chosen on random cases, seeds 1 to 20,000.
constexpr double rounding_factor = 5;

/// A hypothesis beside the output.
struct Fit {
  Hypothesis hypothesis;
  std::size_t plan = 0;  ///< of plans(roles)
  std::string reading = {};  ///< how the file was read
  /// Root mean square of the difference, as a share of the output's; infinite
  /// where only one of the two is NaN.
  double error = std::numeric_limits<double>::infinity();
  /// The error that rounding can explain, for this type and these sizes.
  double allowed = 0;

  /// \returns whether rounding explains the difference
  bool fits() const { return error <= allowed; }
};

/// Where an output differs from what was predicted.
struct Differences {
  Index compared = 0;   ///< numbers
  Index differing = 0;  ///< of them, by more than rounding
  Index batch = 1;      ///< items
  Index tokens = 1;     ///< rows an item
  Index heads = 1;      ///< blocks of columns; 1 for a layer with w_o
  /// Share of differing numbers, of each item and row (batch, tokens).
  Numbers by_row = {};
  /// The same of each column, (1, width).
  Numbers by_column = {};
  /// The same of blocks of rows and columns, at most 48 by 48.
  Numbers picture = {};
  bool every_row = true;  ///< false: of a large output, some rows only
  std::vector<Index> rows = {};  ///< which, when not every
};

/// What the diagnosis comes to.
enum class Finding {
  correct,       ///< right within rounding
  named,         ///< a bug, or several that cannot be told apart here
  correct_apart, ///< right on most rows, and differs in some places
  unknown        ///< none of the known
};

/// The answer.
struct Diagnosis {
  Finding finding = Finding::unknown;
  std::vector<Fit> fits;     ///< what fits, the best first
  std::vector<Fit> same_here;  ///< when correct: bugs this input cannot show
  std::vector<Fit> nearest;  ///< when unknown: the best of what does not fit
  /// When unknown: nothing comes near, and nearest is the right attention,
  /// read in the likeliest way.
  bool nothing_near = false;
  Differences differences;   ///< from the first of fits or nearest
  Index tried = 0;           ///< hypotheses, over all readings
  Index left_out = 0;        ///< too large to be tried at this size
  /// In products of matrices, over all readings.
  double multiplications = 0;
  double seconds = 0;
};

/// \param roles     the tensors
/// \param progress  told now and then how many hypotheses were tried
/// \returns the answer
/// \throws ReadingProblem when the tensors cannot be read in any way
Diagnosis diagnose_tensors(const Roles& roles,
                           const std::function<void(Index)>& progress = {});

/// \param predictor   of a reading
/// \param reading     the same
/// \param hypothesis  to compare with
/// \param probe       which numbers to compare
/// \returns how they fit
Fit compare(Predictor& predictor, const Reading& reading,
            const Hypothesis& hypothesis, const Probe& probe);

}  // namespace diagnose
