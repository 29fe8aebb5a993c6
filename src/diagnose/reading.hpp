/// \file reading.hpp
/// One way to read the tensors of a file: which axis is what, how many heads,
/// which masks.
#pragma once

#include "tensor_file.hpp"
#include "variation.hpp"

#include <map>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

namespace diagnose {

/// How many rows and columns of what; the tensors as the gallery's call takes
/// them, with queries, keys and values not yet computed for a layer.
struct Reading {
  std::string description;  ///< such as "(B, T, H d), 4 heads, causal"
  Call call;                ///< masks and sizes; q, k and v unless a layer
  Numbers output;           ///< (batch T_q, width), item below item
  bool layer = false;       ///< whether x and weights were given
  Numbers x_q = {};         ///< (batch T_q, d_model), a layer only
  Numbers x_kv = {};        ///< (batch T_k, d_key), a layer only
  Weights weights = {};     ///< a layer only
  NumberType type = NumberType::float32;  ///< what it was computed in
  Index t_q = 0;            ///< queries an item
  Index t_k = 0;            ///< keys an item
};

/// \param type  a type of floating-point numbers; others are taken for float32
/// \param x     a number
/// \returns the number of that type next to it
double rounded_to(NumberType type, double x);

/// \param a  (rows, columns)
/// \param b  (rows, columns)
/// \returns the sum of squares of their differences; where both are NaN or the
///          same infinity there is none, where one is NaN it is infinite
double squared_distance(const Numbers& a, const Numbers& b);

/// \param numbers  any
/// \returns the sum of squares of those that are finite
double squared_size(const Numbers& numbers);

/// Root mean square of the difference of two outputs, as a share of the second.
/// \param a  (rows, columns)
/// \param b  (rows, columns)
/// \returns the share; where both are NaN or the same infinity they agree,
///          where one is NaN it is infinite
double relative_error(const Numbers& a, const Numbers& b);

/// \param reading  any
/// \returns what a variation may look at
Traits traits_of(const Reading& reading);

/// What the reader says beyond the file; what is not said is tried.
struct Told {
  std::optional<Index> n_heads = {};
  std::optional<Index> n_kv_heads = {};
  std::optional<bool> causal = {};
  std::optional<double> scale = {};
  std::optional<bool> true_attends = {};  ///< of a mask of bools
  std::optional<NumberType> type = {};    ///< what it was computed in
  std::string layout = {};  ///< one of layouts(), or nothing
};

/// \returns the orders of axes that a query or an input may have: "bthd" is
///          batch, token, head, column
const std::vector<std::string>& layouts();

/// \param text  anything
/// \returns whether it is one of layouts()
bool is_layout(const std::string& text);

/// Says in one line what is wrong with the tensors and what to do about it.
struct ReadingProblem : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// The tensors of a file by the roles they play.
struct Roles {
  std::map<std::string, Tensor> tensors;  ///< "q", "k", "v", "out", "x", ...
  Told told;  ///< the arguments, and what the file itself says
};

/// Finds and loads what a diagnosis needs, by the names that programs use.
/// \param file  with q, k, v and out, or x, weights and out
/// \param told  what the reader says; it goes before what the file says
/// \returns the tensors by role
/// \throws ReadingProblem when one is missing, named twice or of no use
Roles find_roles(TensorFile& file, const Told& told);

/// The type whose rounding is expected in the output: what is told, or the
/// coarsest type of the tensors, or of what holds every number of the output.
/// \param roles  the tensors, an output among them
/// \returns a type of floating-point numbers
NumberType computed_type(const Roles& roles);

/// How a file's axes and heads may be read.
struct ReadingPlan {
  std::string layout;   ///< of q, such as "bthd", or of x
  Index n_heads = 1;
  Index n_kv_heads = 1;
  bool causal = false;
  bool true_attends = true;
};

/// \param roles  the tensors
/// \returns every way to read them, the likeliest first
/// \throws ReadingProblem when there is none
std::vector<ReadingPlan> plans(const Roles& roles);

/// \param roles  the tensors
/// \param plan   one of plans(roles)
/// \returns the tensors, read so
Reading read_so(const Roles& roles, const ReadingPlan& plan);

}  // namespace diagnose
