/// \file projections.hpp
/// What each way to read a layer's weights makes of its input.
#pragma once

#include "own_directions.hpp"
#include "reading.hpp"
#include "variation.hpp"

#include <atomic>
#include <map>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

namespace diagnose {

/// x W, of which those tiles are computed that somebody needs. Threads may
/// share one.
class Product {
 public:
  /// Rows and columns of a tile.
  static constexpr Index tile_rows = 32, tile_cols = 64;

  /// A column of another product of the same input.
  struct Column {
    std::shared_ptr<Product> of;
    Index index;
  };

  /// \param x  (rows, inputs)
  /// \param w  (inputs, columns)
  /// \param columns  all columns, where others have them; or nothing
  /// \throws std::invalid_argument when x and w do not fit
  Product(ReadWeights::Matrix x, ReadWeights::Matrix w,
          std::vector<Column> columns = {});

  /// \returns rows of tiles
  Index tiles_down() const { return tiles_down_; }
  /// \returns columns of tiles
  Index tiles_across() const { return tiles_across_; }
  /// \returns whether every tile is made
  bool complete() const { return left_ == 0; }

  /// Computes what is missing of some tiles.
  /// \param needed  for each tile, row after row, whether it is needed
  /// \returns multiplications
  double make(const std::vector<bool>& needed);

  /// \returns (rows, columns); tiles that were never made hold anything
  const Numbers& numbers() const { return y_; }
  /// \returns (inputs, columns)
  const Numbers& weights() const { return *w_; }
  /// \returns the same, to be kept
  const ReadWeights::Matrix& factor() const { return w_; }
  /// \param x  (rows, inputs)
  /// \returns whether it is multiplied, and no copy of it
  bool multiplies(const ReadWeights::Matrix& x) const { return x == x_; }
  /// \param w  (inputs, columns)
  /// \returns whether it is multiplied by, and no copy of it
  bool multiplies_by(const ReadWeights::Matrix& w) const { return w == w_; }

 private:
  // Rows of w that are not all zeros, for a column of tiles.
  struct Range {
    Index first, count;
    bool operator==(const Range& other) const {
      return first == other.first && count == other.count;
    }
  };
  // Tiles that make a block.
  struct Block {
    Index down, across, rows, cols;
  };
  Range range_of(Index across) const;
  std::size_t place(Index down, Index across) const {
    return static_cast<std::size_t>(down * tiles_across_ + across);
  }
  Block next_block(const std::vector<bool>& missing, Index down,
                   Index across) const;
  double make_block(const Block& block);
  void copy_block(const Block& block);

  ReadWeights::Matrix x_, w_;
  std::vector<Column> columns_;
  Numbers y_;
  Index tiles_down_, tiles_across_;
  std::vector<Range> ranges_;
  std::mutex making_;
  std::vector<bool> made_;
  std::atomic<Index> left_;  // tiles that are not made
};

/// A layer's projections, with the weights read in one way.
struct Projection {
  std::shared_ptr<Product> q, k, v;           ///< without their biases
  mha::RowVector<double> b_q, b_k, b_v, b_o;  ///< each may be empty
  ReadWeights::Matrix w_o;                    ///< (width, d_model)
};

/// The projections of one input, for every reading of the same tensors. Threads
/// may share them.
class Projections {
 public:
  /// \param reading  of a layer; what is needed of it is copied
  explicit Projections(const Reading& reading);

  /// \param reading  of the same weights
  /// \returns whether its input is this one
  bool are_of(const Reading& reading) const;

  /// \param reread   what is made of the weights; none: they are read right
  /// \param n_heads  of the reading, if it goes by them; otherwise 0
  /// \returns the projections
  /// \throws std::invalid_argument when they do not fit the input
  std::shared_ptr<const Projection> of(Reread reread, Index n_heads);

  /// Gives up what is kept for one number of heads.
  /// \param n_heads  more than 0
  void forget(Index n_heads);

  /// Works out where a few columns of the heads write alone, once it is asked
  /// for often enough to pay.
  /// \param w_o  one of the projections'
  /// \param most_columns  as own_directions takes it
  /// \returns the directions; nothing if there are none, or not yet
  std::shared_ptr<const OwnDirections> own(const ReadWeights::Matrix& w_o,
                                           Index most_columns);

 private:
  ReadWeights::Matrix known(const ReadWeights::Matrix& w);
  std::vector<Product::Column> columns_of(const ReadWeights::Matrix& x,
                                          const Numbers& w) const;
  std::shared_ptr<Product> product(const ReadWeights::Matrix& x,
                                   const ReadWeights::Matrix& w);

  ReadWeights::Matrix x_q_, x_kv_;
  ReadWeights weights_;
  std::mutex looking_;
  std::map<std::pair<Reread, Index>, std::shared_ptr<const Projection>>
      readings_;
  std::vector<ReadWeights::Matrix> matrices_;  // each with other numbers
  std::vector<std::shared_ptr<Product>> products_;
  struct Own {
    Index asked = 0;
    std::shared_ptr<const OwnDirections> directions = {};
  };
  std::map<std::pair<ReadWeights::Matrix, Index>, Own> own_;
};

}  // namespace diagnose
