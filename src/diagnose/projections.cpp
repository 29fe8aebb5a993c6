#include "projections.hpp"

#include "two_at_once.hpp"

#include <algorithm>
#include <iterator>

namespace diagnose {
namespace {

// Columns that begin with the same number and are compared, at most.
constexpr Index most_alike = 4;

// As many hypotheses as take longer, with every head, than the directions.
constexpr Index asked_to_pay = 3;

bool same_numbers(const Numbers& a, const Numbers& b) {
  return a.rows() == b.rows() && a.cols() == b.cols() &&
         std::equal(a.data(), a.data() + a.size(), b.data());
}

}  // namespace

Product::Product(ReadWeights::Matrix x, ReadWeights::Matrix w,
                 std::vector<Column> columns)
    : x_(std::move(x)), w_(std::move(w)), columns_(std::move(columns)) {
  mha::require(x_->cols() == w_->rows(),
               "the input is {} wide, but the weights have {} rows",
               x_->cols(), w_->rows());
  y_.resize(x_->rows(), w_->cols());
  tiles_down_ = (y_.rows() + tile_rows - 1) / tile_rows;
  tiles_across_ = (y_.cols() + tile_cols - 1) / tile_cols;
  left_ = tiles_down_ * tiles_across_;
  made_.resize(static_cast<std::size_t>(left_));
  for (Index across = 0; columns_.empty() && across < tiles_across_; ++across) {
    ranges_.push_back(range_of(across));
  }
}

Product::Range Product::range_of(Index across) const {
  const Index col = across * tile_cols;
  const Index cols = std::min(tile_cols, w_->cols() - col);
  Index first = 0, last = w_->rows();
  while (first < last && w_->row(first).segment(col, cols).isZero(0)) ++first;
  while (first < last && w_->row(last - 1).segment(col, cols).isZero(0)) {
    --last;
  }
  return {first, last - first};
}

// The largest block of missing tiles that begins here, columns first.
Product::Block Product::next_block(const std::vector<bool>& missing, Index down,
                                   Index across) const {
  Block block = {down, across, 1, 1};
  while (across + block.cols < tiles_across_ &&
         missing[place(down, across + block.cols)] &&
         (ranges_.empty() ||
          ranges_[static_cast<std::size_t>(across)] ==
              ranges_[static_cast<std::size_t>(across + block.cols)])) {
    block.cols += 1;
  }
  const auto row_is_missing = [&](Index row) {
    for (Index c = 0; c < block.cols; ++c) {
      if (!missing[place(row, across + c)]) return false;
    }
    return true;
  };
  while (down + block.rows < tiles_down_ && row_is_missing(down + block.rows)) {
    block.rows += 1;
  }
  return block;
}

double Product::make_block(const Block& block) {
  const Index first = block.down * tile_rows, col = block.across * tile_cols;
  const Index rows = std::min(block.rows * tile_rows, y_.rows() - first);
  const Index cols = std::min(block.cols * tile_cols, y_.cols() - col);
  const Range inner = ranges_[static_cast<std::size_t>(block.across)];
  const auto multiply = [&](Index from, Index count) {
    y_.block(from, col, count, cols).noalias() =
        x_->block(from, inner.first, count, inner.count) *
        w_->block(inner.first, col, inner.count, cols);
  };
  const double multiplications = static_cast<double>(rows) *
                                 static_cast<double>(cols) *
                                 static_cast<double>(inner.count);
  if (multiplications < 1e6) {
    multiply(first, rows);
  } else {
    const Index half = rows / 2;
    two_at_once([&] { multiply(first + half, rows - half); },
                [&] { multiply(first, half); });
  }
  return multiplications;
}

void Product::copy_block(const Block& block) {
  const Index col = block.across * tile_cols;
  const Index last_row =
      std::min((block.down + block.rows) * tile_rows, y_.rows());
  const Index last_col = std::min(col + block.cols * tile_cols, y_.cols());
  for (Index row = block.down * tile_rows; row < last_row; ++row) {
    for (Index c = col; c < last_col; ++c) {
      const Column& from = columns_[static_cast<std::size_t>(c)];
      y_(row, c) = from.of->y_(row, from.index);
    }
  }
}

double Product::make(const std::vector<bool>& needed) {
  if (complete()) return 0;
  const std::lock_guard<std::mutex> lock(making_);
  std::vector<bool> missing = needed;
  std::map<Product*, std::vector<bool>> of_others;
  for (Index down = 0; down < tiles_down_; ++down) {
    for (Index across = 0; across < tiles_across_; ++across) {
      const std::size_t tile = place(down, across);
      missing[tile] = needed[tile] && !made_[tile];
      if (!missing[tile] || columns_.empty()) continue;
      const Index end = std::min((across + 1) * tile_cols, y_.cols());
      for (Index c = across * tile_cols; c < end; ++c) {
        const Column& from = columns_[static_cast<std::size_t>(c)];
        std::vector<bool>& its = of_others[from.of.get()];
        its.resize(from.of->made_.size());
        its[from.of->place(down, from.index / tile_cols)] = true;
      }
    }
  }
  double multiplications = 0;
  for (const auto& [product, tiles] : of_others) {
    multiplications += product->make(tiles);
  }
  for (Index down = 0; down < tiles_down_; ++down) {
    for (Index across = 0; across < tiles_across_; ++across) {
      if (!missing[place(down, across)]) continue;
      const Block block = next_block(missing, down, across);
      for (Index i = 0; i < block.rows * block.cols; ++i) {
        const std::size_t tile =
            place(down + i / block.cols, across + i % block.cols);
        missing[tile] = false;
        made_[tile] = true;
      }
      if (columns_.empty()) {
        multiplications += make_block(block);
      } else {
        copy_block(block);
      }
      left_ -= block.rows * block.cols;  // after its numbers are there
    }
  }
  return multiplications;
}

Projections::Projections(const Reading& reading)
    : x_q_(std::make_shared<Numbers>(reading.x_q)),
      x_kv_(same_numbers(reading.x_q, reading.x_kv)
                ? x_q_
                : std::make_shared<Numbers>(reading.x_kv)) {
  const Weights& w = reading.weights;
  const auto keep = [&](const Numbers& matrix) {
    return known(std::make_shared<Numbers>(matrix));
  };
  weights_ = {keep(w.w_q), keep(w.w_k), keep(w.w_v), keep(w.w_o),
              w.b_q,       w.b_k,       w.b_v,       w.b_o};
}

bool Projections::are_of(const Reading& reading) const {
  return same_numbers(*x_q_, reading.x_q) && same_numbers(*x_kv_, reading.x_kv);
}

// The same numbers that were met before, if they were.
ReadWeights::Matrix Projections::known(const ReadWeights::Matrix& w) {
  for (const ReadWeights::Matrix& one : matrices_) {
    if (one == w || same_numbers(*one, *w)) return one;
  }
  matrices_.push_back(w);
  return w;
}

// Weights that are dealt out otherwise have the same columns.
std::vector<Product::Column> Projections::columns_of(
    const ReadWeights::Matrix& x, const Numbers& w) const {
  std::vector<Product::Column> columns;
  if (w.size() == 0) return columns;
  std::multimap<double, Product::Column> known;  // by the first number
  for (const std::shared_ptr<Product>& one : products_) {
    if (!one->multiplies(x) || one->weights().rows() != w.rows()) continue;
    for (Index c = 0; c < one->weights().cols(); ++c) {
      known.emplace(one->weights()(0, c), Product::Column{one, c});
    }
  }
  for (Index c = 0; c < w.cols(); ++c) {
    auto [next, end] = known.equal_range(w(0, c));
    Index looked = 0;
    while (next != end && looked < most_alike &&
           next->second.of->weights().col(next->second.index) != w.col(c)) {
      ++next;
      ++looked;
    }
    if (next == end || looked == most_alike) return {};
    columns.push_back(next->second);
  }
  return columns;
}

std::shared_ptr<Product> Projections::product(const ReadWeights::Matrix& x,
                                              const ReadWeights::Matrix& w) {
  const ReadWeights::Matrix factor = known(w);
  for (const std::shared_ptr<Product>& one : products_) {
    if (one->multiplies(x) && one->multiplies_by(factor)) return one;
  }
  products_.push_back(
      std::make_shared<Product>(x, factor, columns_of(x, *factor)));
  return products_.back();
}

std::shared_ptr<const Projection> Projections::of(Reread reread,
                                                  Index n_heads) {
  const std::lock_guard<std::mutex> lock(looking_);
  const auto key = std::pair(reread, n_heads);
  const auto found = readings_.find(key);
  if (found != readings_.end()) return found->second;
  const ReadWeights w = reread ? reread(weights_, n_heads) : weights_;
  auto one = std::make_shared<Projection>();
  one->q = product(x_q_, w.w_q);
  one->k = product(x_kv_, w.w_k);
  one->v = product(x_kv_, w.w_v);
  one->b_q = w.b_q;
  one->b_k = w.b_k;
  one->b_v = w.b_v;
  one->b_o = w.b_o;
  one->w_o = known(w.w_o);
  readings_[key] = one;
  return one;
}

void Projections::forget(Index n_heads) {
  const std::lock_guard<std::mutex> lock(looking_);
  for (auto one = readings_.begin(); one != readings_.end();) {
    one = one->first.second == n_heads ? readings_.erase(one) : std::next(one);
  }
  products_.clear();
  matrices_ = {weights_.w_q, weights_.w_k, weights_.w_v, weights_.w_o};
  for (const auto& [key, own] : own_) matrices_.push_back(key.first);
  for (const auto& [key, one] : readings_) {
    matrices_.push_back(one->w_o);
    for (const auto& kept : {one->q, one->k, one->v}) {
      products_.push_back(kept);
      matrices_.push_back(kept->factor());
    }
  }
  const auto drop_repeated = [](auto& list) {
    std::sort(list.begin(), list.end());
    list.erase(std::unique(list.begin(), list.end()), list.end());
  };
  drop_repeated(products_);
  drop_repeated(matrices_);
}

std::shared_ptr<const OwnDirections> Projections::own(
    const ReadWeights::Matrix& w_o, Index most_columns) {
  const std::lock_guard<std::mutex> lock(looking_);
  Own& own = own_[{w_o, most_columns}];
  if (++own.asked == asked_to_pay) {
    if (auto directions = own_directions(*w_o, most_columns)) {
      own.directions =
          std::make_shared<OwnDirections>(*std::move(directions));
    }
  }
  return own.directions;
}

}  // namespace diagnose
