/// \file battery.hpp
/// Checks that take any attention and say what is wrong with it (chapter 5).
#pragma once

#include "mha/attention_call.hpp"

#include <cstdint>
#include <functional>
#include <iosfwd>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace mha {

// [abilities]
/// What an attention can do, or leaves to its caller. A check that needs what
/// is not there is not made, and the report says so.
struct Abilities {
  bool causal = true;        ///< `options.causal`, the corner bottom-right
  bool pairs = true;         ///< `options.pairs`, a table of pairs
  bool padding = true;       ///< `padding`, keys hidden item by item
  bool bias = true;          ///< `options.bias`, added to the scores
  bool scale = true;         ///< `options.scale`, a scale that is given
  bool batches = true;       ///< more than one item
  bool cross = true;         ///< as many keys as wanted, not one a query
  bool shared_heads = true;  ///< fewer key/value heads than query heads
  bool weights = true;       ///< returns the maps
  bool training = true;      ///< has a dropout
  bool refuses = true;       ///< throws std::invalid_argument on bad sizes
  bool empty_rows = true;    ///< zeros for a query that may see nothing
  bool infinite_scores = true;  ///< infinite scores share their row
  bool hidden_nan = true;    ///< NaN in a hidden value stays hidden
  bool biases = true;        ///< of a layer: its projections have biases
  bool any_width = true;     ///< of a layer: d_model need not be H d_head
  Index widest = 512;        ///< most columns, n_heads d_head, of a call
  /// The spacing of numbers at 1 in the arithmetic used: 2^-52 for double,
  /// 2^-23 for float.
  double epsilon = std::numeric_limits<double>::epsilon();
};
// [abilities]

// [how close]
/// \param a        a matrix
/// \param b        another
/// \param epsilon  the spacing of numbers at 1
/// \return whether they differ in shape, or by more than rounding; a NaN
///         differs from everything
bool differ(const Matrix<double>& a, const Matrix<double>& b, double epsilon);

/// \param what      names the row in the message
/// \param expected  what is right
/// \param got       what came
/// \param epsilon   the spacing of numbers at 1
/// \return a message when they differ, else nothing
std::string compare(const std::string& what, const Matrix<double>& expected,
                    const Matrix<double>& got, double epsilon);
// [how close]

// [sizes of a trial]
/// The sizes of one input.
struct CallSizes {
  Index batch = 1;       ///< items
  Index t_q = 1;         ///< queries an item
  Index t_k = 0;         ///< keys an item; 0: as many as queries
  Index n_heads = 1;     ///< query heads
  Index n_kv_heads = 0;  ///< key/value heads, dividing n_heads; 0: n_heads
  Index d_head = 1;      ///< columns a head
};

/// \param sizes  the sizes of an input
/// \return how many numbers are in queries, keys and values
Index numbers_in(const CallSizes& sizes);

/// \return the sizes that the battery goes through, fewest numbers first
const std::vector<CallSizes>& trial_sizes();
// [sizes of a trial]

// [inputs]
/// \return three tokens, two heads of width 4: all sizes differ
AttentionCall fixture_call();

/// \param seed   of TorchGenerator
/// \param sizes  the sizes
/// \return a call with normal random numbers and no mask
AttentionCall random_call(std::uint32_t seed, const CallSizes& sizes);

/// \param scores  what a query of 1 scores
/// \return one head of width 1; value j is j
AttentionCall one_row(const std::vector<double>& scores);

/// Attention term by term, in plain loops, with every mask of the call.
/// \param call  a call that is not in training
/// \return the output, (batch T_q, n_heads d_head)
Matrix<double> by_definition(const AttentionCall& call);
// [inputs]

// [trial]
/// What a check works with: an attention, and an input size to try.
class Trial {
 public:
  /// \param attention  asked by the checks; must outlive the trial
  /// \param abilities  what may be asked of it
  /// \param sizes      sizes to try; checks with one input leave them alone
  Trial(const AttentionFunction& attention, const Abilities& abilities,
        const CallSizes& sizes = {})
      : attention_(attention), abilities_(abilities), sizes_(sizes) {}

  /// Asks the attention and remembers the question.
  /// \param call  the question
  /// \return its answer
  /// \throws whatever the attention throws
  AttentionAnswer ask(const AttentionCall& call);

  /// \param call  the question
  /// \return its output, (batch T_q, n_heads d_head)
  /// \throws std::runtime_error when the output has another shape
  Matrix<double> output(const AttentionCall& call);

  /// \param call  the question
  /// \return the map of item 0 and head 0, (T_q, T_k)
  /// \throws std::runtime_error when there is none, or of another shape
  Matrix<double> first_map(const AttentionCall& call);

  /// \param seed  of the numbers
  /// \return a random call of the sizes on trial
  AttentionCall random_input(std::uint32_t seed) const {
    return random_call(seed, sizes_);
  }

  /// \param a  a matrix
  /// \param b  another
  /// \return whether they differ in shape, or by more than rounding; a NaN
  ///         differs from everything
  bool differ(const Matrix<double>& a, const Matrix<double>& b) const {
    return mha::differ(a, b, abilities_.epsilon);
  }

  /// \param what      names the row in the message
  /// \param expected  what is right
  /// \param got       what came
  /// \return a message when they differ, else nothing
  std::string compare(const std::string& what, const Matrix<double>& expected,
                      const Matrix<double>& got) const {
    return mha::compare(what, expected, got, abilities_.epsilon);
  }

  /// \return what may be asked
  const Abilities& abilities() const { return abilities_; }
  /// \return the sizes on trial
  const CallSizes& sizes() const { return sizes_; }
  /// \return the last question that was asked
  const AttentionCall& asked() const { return asked_; }

 private:
  const AttentionFunction& attention_;
  const Abilities& abilities_;
  CallSizes sizes_;
  AttentionCall asked_;
};
// [trial]

// [check]
/// A sentence that is true of every right attention, and the test of it.
struct Check {
  std::string sentence;                       ///< what holds
  std::string (*find)(Trial&);                ///< what is wrong, or nothing
  std::vector<bool Abilities::*> needs = {};  ///< what it cannot do without
  bool at_any_size = false;                   ///< or with inputs of its own
  std::string page = "05d_checks";            ///< explains it in the book
};

/// \return all of them, in the order of the book
const std::vector<Check>& checks();

/// \param sentence  a check's sentence
/// \return the check
/// \throws std::logic_error when there is none
const Check& check_named(const std::string& sentence);
// [check]

// [found]
/// What a check found.
struct Finding {
  std::string what;           ///< what is wrong
  CallSizes sizes;            ///< of the smallest input that showed it
  AttentionCall input = {};   ///< that input; the last, if there were several
  std::string described = {};  ///< the input in words, where it is no call
};

/// Makes one check, from small inputs to large ones, until it fails. An
/// attention that throws is wrong as well.
/// \param check      the check
/// \param attention  any attention
/// \param abilities  what may be asked of it
/// \return what was found at the smallest input that shows it, or nothing
std::optional<Finding> find_fault(const Check& check,
                                  const AttentionFunction& attention,
                                  const Abilities& abilities = {});
// [found]

// [report]
/// What became of one check.
struct CheckResult {
  std::string sentence;            ///< the check
  std::string page;                ///< where the book explains it
  bool asked = true;               ///< false: an ability is missing
  std::optional<Finding> fault = {};  ///< nothing: it holds
};

/// What became of all.
struct BatteryReport {
  std::vector<CheckResult> results;  ///< one a check

  /// \return whether every check that was made holds
  bool passed() const;
  /// \return how many checks were made
  Index made() const;
  /// \return how many of them failed
  Index failed() const;
};

/// \param page  a page of the book by its file, such as "05a_wrong_splits"
/// \return how a reader finds it: "page 5a of the book, wrong_splits.html"
std::string page_of_book(const std::string& page);

/// \param report  a report
/// \return the failures with their smallest inputs, and what was not asked
std::string to_string(const BatteryReport& report);

/// Writes to_string(report), so that test frameworks can show it.
/// \param out     where to
/// \param report  a report
/// \return out
std::ostream& operator<<(std::ostream& out, const BatteryReport& report);

/// Makes every check.
/// \param attention  any attention
/// \param abilities  what may be asked of it
/// \return what was found
BatteryReport check_attention(const AttentionFunction& attention,
                              const Abilities& abilities = {});
// [report]

// [report parts]
/// The same for checks of your own.
/// \param checks     the checks to make
/// \param attention  any attention
/// \param abilities  what may be asked of it
/// \return what was found
BatteryReport make_checks(std::span<const Check> checks,
                          const AttentionFunction& attention,
                          const Abilities& abilities);

/// Makes one check of any kind.
/// \param result    names the check, and says whether it is asked for
/// \param find      what is wrong, or nothing; may throw, which is wrong too
/// \param describe  the input that showed it, in words
/// \return the result with what was found
CheckResult make_check(CheckResult result,
                       const std::function<std::string()>& find,
                       const std::function<std::string()>& describe);

/// \param needs      what a check cannot do without
/// \param abilities  what there is
/// \return whether all of it is there
bool has_all(const std::vector<bool Abilities::*>& needs,
             const Abilities& abilities);

/// \param find  a search for a fault
/// \return what it found; the message of what it threw
std::string found_or_thrown(const std::function<std::string()>& find);

/// \return the checks of the book's sections, which checks() joins
std::vector<Check> layout_checks();
/// \return those of sizes and scale
std::vector<Check> size_and_scale_checks();
/// \return those of masks
std::vector<Check> mask_checks();
/// \return those of the softmax
std::vector<Check> softmax_checks();
/// \return those of what comes back
std::vector<Check> answer_checks();
// [report parts]

}  // namespace mha
