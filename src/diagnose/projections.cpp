#include "projections.hpp"

#include <algorithm>
#include <thread>

namespace diagnose {
namespace {

// Numbers kept in products: 128 MiB, or what the readings of one head count
// come to.
constexpr Index most_kept = Index{1} << 24;
constexpr Index products_of_a_layer = 12;

// Columns in which zeros are looked for together.
constexpr Index stripe = 16;

bool same_numbers(const Numbers& a, const Numbers& b) {
  return a.rows() == b.rows() && a.cols() == b.cols() &&
         std::equal(a.data(), a.data() + a.size(), b.data());
}

}  // namespace

Product::Product(ReadWeights::Matrix x, ReadWeights::Matrix w)
    : x_(std::move(x)), w_(std::move(w)) {
  mha::require(x_->cols() == w_->rows(),
               "the input is {} wide, but the weights have {} rows",
               x_->cols(), w_->rows());
  y_.resize(x_->rows(), w_->cols());
  made_.resize(static_cast<std::size_t>((y_.rows() + block - 1) / block));
  for (Index col = 0; col < w_->cols(); col += stripe) {
    const Index cols = std::min(stripe, w_->cols() - col);
    Index first = 0, last = w_->rows();
    while (first < last && w_->row(first).segment(col, cols).isZero(0)) {
      ++first;
    }
    while (first < last && w_->row(last - 1).segment(col, cols).isZero(0)) {
      --last;
    }
    const Stripe one = {col, cols, first, last - first};
    if (!stripes_.empty() && stripes_.back().first_row == one.first_row &&
        stripes_.back().rows == one.rows) {
      stripes_.back().cols += cols;
    } else {
      stripes_.push_back(one);
    }
  }
}

double Product::make_rows(Index first, Index count) {
  double multiplications = 0;
  for (const Stripe& one : stripes_) {
    const auto multiply = [&](Index from, Index rows) {
      y_.block(from, one.first_col, rows, one.cols).noalias() =
          x_->block(from, one.first_row, rows, one.rows) *
          w_->block(one.first_row, one.first_col, one.rows, one.cols);
    };
    const double work = static_cast<double>(count) *
                        static_cast<double>(one.cols) *
                        static_cast<double>(one.rows);
    multiplications += work;
    if (work < 1e6) {
      multiply(first, count);
      continue;
    }
    std::thread other(multiply, first, count / 2);
    multiply(first + count / 2, count - count / 2);
    other.join();
  }
  return multiplications;
}

double Product::make(const std::vector<bool>& blocks) {
  double multiplications = 0;
  for (std::size_t one = 0; one < blocks.size();) {
    std::size_t end = one;
    while (end < blocks.size() && blocks[end] && !made_[end]) {
      made_[end++] = true;
    }
    if (end > one) {
      const Index first = static_cast<Index>(one) * block;
      const Index last = std::min(y_.rows(), static_cast<Index>(end) * block);
      multiplications += make_rows(first, last - first);
    }
    one = std::max(end, one + 1);
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

std::shared_ptr<Product> Projections::product(const ReadWeights::Matrix& x,
                                              const ReadWeights::Matrix& w) {
  const ReadWeights::Matrix factor = known(w);
  for (const std::shared_ptr<Product>& one : products_) {
    if (one->is_of(x, factor)) return one;
  }
  products_.push_back(std::make_shared<Product>(x, factor));
  return products_.back();
}

const Projection& Projections::of(Reread reread, Index n_heads) {
  const auto key = std::pair(reread, n_heads);
  const auto found = readings_.find(key);
  if (found != readings_.end()) return found->second;
  const Index size = x_q_->rows() * weights_.w_q->cols();
  if (std::ssize(products_) >= products_of_a_layer &&
      size * std::ssize(products_) > most_kept) {
    products_.clear();
    readings_.clear();
    matrices_ = {weights_.w_q, weights_.w_k, weights_.w_v, weights_.w_o};
    for (const auto& [w_o, directions] : own_) matrices_.push_back(w_o);
  }
  const ReadWeights w = reread ? reread(weights_, n_heads) : weights_;
  Projection one;
  one.q = product(x_q_, w.w_q);
  one.k = product(x_kv_, w.w_k);
  one.v = product(x_kv_, w.w_v);
  one.b_q = w.b_q;
  one.b_k = w.b_k;
  one.b_v = w.b_v;
  one.b_o = w.b_o;
  one.w_o = known(w.w_o);
  return readings_[key] = std::move(one);
}

const std::optional<OwnDirections>& Projections::own(
    const ReadWeights::Matrix& w_o) {
  const auto found = own_.find(w_o);
  if (found != own_.end()) return found->second;
  return own_[w_o] = own_directions(*w_o);
}

}  // namespace diagnose
