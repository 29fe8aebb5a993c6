/// \file projections.hpp
/// What each way to read a layer's weights makes of its input.
#pragma once

#include "own_directions.hpp"
#include "reading.hpp"
#include "variation.hpp"

#include <map>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

namespace diagnose {

/// x W, of which those rows are computed that somebody needs.
class Product {
 public:
  /// Rows that are computed together.
  static constexpr Index block = 32;

  /// \param x  (rows, inputs)
  /// \param w  (inputs, columns)
  /// \throws std::invalid_argument when they do not fit
  Product(ReadWeights::Matrix x, ReadWeights::Matrix w);

  /// Computes what is missing of some rows.
  /// \param blocks  for each block of rows, whether it is needed
  /// \returns multiplications
  double make(const std::vector<bool>& blocks);

  /// \returns (rows, columns); rows that were never made hold anything
  const Numbers& numbers() const { return y_; }
  /// \param x  (rows, inputs)
  /// \param w  (inputs, columns)
  /// \returns whether it is the product of these two, and not of copies
  bool is_of(const ReadWeights::Matrix& x, const ReadWeights::Matrix& w) const {
    return x == x_ && w == w_;
  }

 private:
  // Columns that may be other than zero in these rows of w only.
  struct Stripe {
    Index first_col, cols, first_row, rows;
  };
  double make_rows(Index first, Index count);

  ReadWeights::Matrix x_, w_;
  std::vector<Stripe> stripes_;
  std::vector<bool> made_;
  Numbers y_;
};

/// A layer's projections, with the weights read in one way.
struct Projection {
  std::shared_ptr<Product> q, k, v;           ///< without their biases
  mha::RowVector<double> b_q, b_k, b_v, b_o;  ///< each may be empty
  ReadWeights::Matrix w_o;                    ///< (width, d_model)
};

/// The projections of one input, for every reading of the same tensors.
class Projections {
 public:
  /// \param reading  of a layer; what is needed of it is copied
  explicit Projections(const Reading& reading);

  /// \param reading  of the same weights
  /// \returns whether its input is this one
  bool are_of(const Reading& reading) const;

  /// \param reread   what is made of the weights; none: they are read right
  /// \param n_heads  of the reading
  /// \returns the projections, until the next call
  /// \throws std::invalid_argument when they do not fit the input
  const Projection& of(Reread reread, Index n_heads);

  /// \param w_o  one of the projections'
  /// \returns where a few columns of the heads write alone, if anywhere
  const std::optional<OwnDirections>& own(const ReadWeights::Matrix& w_o);

 private:
  ReadWeights::Matrix known(const ReadWeights::Matrix& w);
  std::shared_ptr<Product> product(const ReadWeights::Matrix& x,
                                   const ReadWeights::Matrix& w);

  ReadWeights::Matrix x_q_, x_kv_;
  ReadWeights weights_;
  std::map<std::pair<Reread, Index>, Projection> readings_;
  std::vector<ReadWeights::Matrix> matrices_;  // each with other numbers
  std::vector<std::shared_ptr<Product>> products_;
  std::map<ReadWeights::Matrix, std::optional<OwnDirections>> own_;
};

}  // namespace diagnose
