// The strided tensor against PyTorch's, live, on random chains of operations.
#include "strided_oracle.hpp"

#include "mha/generator.hpp"
#include "mha/strided.hpp"

#include <doctest/doctest.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace {

using mha::Index;
using mha::Shape;
using oracle::Operation;
using oracle::Step;
using Tensor = mha::StridedTensor<std::int64_t>;

// Drawing a chain. Most steps are possible, and some are wrong on purpose.

class Draw {
 public:
  explicit Draw(std::uint32_t seed) : generator_(seed) {}

  Index below(Index n) { return generator_.integer(n); }
  bool one_in(Index n) { return below(n) == 0; }

  Shape shape() {
    static const Index sizes[] = {1, 1, 2, 2, 2, 3, 3, 4, 5, 6};
    Shape result(static_cast<std::size_t>(below(6)));
    for (Index& size : result) size = one_in(40) ? 0 : sizes[below(10)];
    return result;
  }

  // A dimension, counted from either end, or now and then none there is.
  Index dimension(const Shape& shape) {
    const Index rank = std::max<Index>(static_cast<Index>(shape.size()), 1);
    if (one_in(60)) return one_in(2) ? rank : -rank - 1;
    return below(2 * rank) - rank;
  }

  Step step(const Tensor& tensor) {
    if (tensor.count() < 2 && !one_in(4)) {  // little can go wrong with these
      return {Operation::expand, larger(tensor)};
    }
    switch (below(13)) {
      case 0:
      case 1:
      case 2: return {Operation::view, target(tensor.shape())};
      case 3:
      case 4:
      case 5: return {Operation::reshape, target(tensor.shape())};
      case 6:
      case 7:
        return {Operation::transpose,
                {dimension(tensor.shape()), dimension(tensor.shape())}};
      case 8: return {Operation::permute, order(tensor.shape())};
      case 9: return {Operation::narrow, part(tensor.shape())};
      case 10: return {Operation::select, element(tensor.shape())};
      case 11: return {Operation::expand, larger(tensor)};
      default: return {Operation::contiguous, {}};
    }
  }

 private:
  // Another shape for as many elements: neighbours are joined, dimensions are
  // cut in two, sizes of 1 come and go.
  Shape target(Shape shape) {
    for (Index changes = 1 + below(3); changes > 0; --changes) change(shape);
    if (one_in(2)) shuffle(shape);
    if (!shape.empty() && one_in(3)) any(shape) = -1;
    if (one_in(60)) shape.push_back(-1);
    if (!shape.empty() && one_in(60)) any(shape) += below(5) - 2;
    return shape;
  }

  void change(Shape& shape) {
    const Index kind = below(6);
    if (shape.empty() || kind == 0) {
      shape.insert(shape.begin() + below(static_cast<Index>(shape.size()) + 1),
                   1);
      return;
    }
    const Index d = below(static_cast<Index>(shape.size()));
    const auto at = shape.begin() + d;
    if (kind == 1) {
      const Index factor = 1 + below(3);
      if (*at % factor != 0) return;
      *at /= factor;
      shape.insert(shape.begin() + d + below(2), factor);
    } else if (d + 1 < static_cast<Index>(shape.size())) {
      *at *= *(at + 1);
      shape.erase(at + 1);
    } else if (*at == 1) {
      shape.erase(at);
    }
  }

  Shape order(const Shape& shape) {
    Shape result(shape.size());
    for (std::size_t d = 0; d < shape.size(); ++d) {
      result[d] = static_cast<Index>(d);
    }
    shuffle(result);
    for (Index& d : result) {
      if (one_in(4)) d -= static_cast<Index>(shape.size());
    }
    if (!result.empty() && one_in(20)) any(result) = dimension(shape);
    if (one_in(60)) result.push_back(0);
    return result;
  }

  Index size_of(const Shape& shape, Index dimension) {
    const Index rank = static_cast<Index>(shape.size());
    if (dimension < 0) dimension += rank;
    if (dimension < 0 || dimension >= rank) return 2;
    return shape[static_cast<std::size_t>(dimension)];
  }

  Shape part(const Shape& shape) {
    const Index d = dimension(shape), size = size_of(shape, d);
    Index start = one_in(20) ? size : below(size + 1) / 2;
    const Index left = size - start + (one_in(60) ? 2 : 0);
    const Index length =
        one_in(20) ? below(left + 1) : left - below(left + 1) / 2;
    if (one_in(3)) start -= size;
    if (one_in(60)) start -= 1;
    return {d, start, one_in(60) ? -1 : length};
  }

  Shape element(const Shape& shape) {
    const Index d = dimension(shape), size = size_of(shape, d);
    const Index index = size == 0 ? 0 : below(2 * size) - size;
    return {d, one_in(60) ? index + size : index};
  }

  Shape larger(const Tensor& tensor) {
    Shape shape = tensor.shape();
    for (Index& size : shape) {
      const bool grows = size == 1 && tensor.count() < 500 && one_in(2);
      if (grows || one_in(60)) size = one_in(30) ? 0 : 1 + below(5);
      if (one_in(6)) size = -1;
    }
    while (shape.size() < 6 && one_in(3)) {
      shape.insert(shape.begin(), one_in(60) ? -1 : 1 + below(3));
    }
    if (one_in(60) && !shape.empty()) shape.erase(shape.begin());
    if (one_in(40) && !shape.empty()) any(shape) = -2;
    return shape;
  }

  Index& any(Shape& shape) {
    return shape[static_cast<std::size_t>(
        below(static_cast<Index>(shape.size())))];
  }

  // Every order is equally likely, and the same with every standard library.
  void shuffle(Shape& shape) {
    for (std::size_t left = shape.size(); left > 1; --left) {
      const Index chosen = below(static_cast<Index>(left));
      std::swap(shape[left - 1], shape[static_cast<std::size_t>(chosen)]);
    }
  }

  mha::TorchGenerator generator_;
};

// Doing a step on our side.

struct Outcome {
  Tensor tensor;
  std::optional<mha::Made> made;  // as reshape says
};

Outcome apply(const Tensor& tensor, const Step& step) {
  const Shape n(step.numbers.begin(), step.numbers.end());
  switch (step.operation) {
    case Operation::view: return {tensor.view(n), {}};
    case Operation::reshape: {
      auto [result, made] = tensor.reshape(n);
      return {std::move(result), made};
    }
    case Operation::transpose: return {tensor.transpose(n.at(0), n.at(1)), {}};
    case Operation::permute: return {tensor.permute(n), {}};
    case Operation::narrow:
      return {tensor.narrow(n.at(0), n.at(1), n.at(2)), {}};
    case Operation::select: return {tensor.select(n.at(0), n.at(1)), {}};
    case Operation::expand: return {tensor.expand(n), {}};
    case Operation::contiguous: return {tensor.contiguous(), {}};
  }
  throw std::logic_error("an operation without a case");
}

std::optional<Outcome> try_step(const Tensor& tensor, const Step& step) {
  try {
    return apply(tensor, step);
  } catch (const std::invalid_argument&) {
    return std::nullopt;
  }
}

const char* name(Operation operation) {
  static constexpr const char* names[] = {"view",    "reshape",   "transpose",
                                          "permute", "narrow",    "select",
                                          "expand",  "contiguous"};
  return names[static_cast<std::size_t>(operation)];
}

std::string described(const Tensor& tensor, const Step& step) {
  return fmt::format(
      "shape {} strides {} offset {}: {} {}", mha::shape_text(tensor.shape()),
      mha::shape_text(tensor.strides()), tensor.layout().offset,
      name(step.operation),
      mha::shape_text(Shape(step.numbers.begin(), step.numbers.end())));
}

void check_same(const Tensor& ours, const oracle::TorchTensor& torchs) {
  CHECK(ours.shape() == torchs.shape());
  CHECK(ours.strides() == torchs.strides());
  CHECK(ours.layout().offset == torchs.offset());
  CHECK(ours.is_contiguous() == torchs.is_contiguous());
  CHECK(ours.values() == torchs.values());
}

using Counts = std::map<std::string, int>;

void run_chain(Draw& draw, Counts& counts) {
  Shape start = draw.shape();
  auto torchs = oracle::TorchTensor::counting({start.begin(), start.end()});
  Tensor ours =
      mha::arange<std::int64_t>(mha::element_count(start)).view(start);
  for (int i = 0; i < 5; ++i) {
    const Step step = draw.step(ours);
    INFO(described(ours, step));
    const auto torch_after = torchs.after(step);
    const auto our_after = try_step(ours, step);
    REQUIRE(our_after.has_value() == torch_after.has_value());
    if (!our_after) {
      ++counts["refused"];
      ++counts[fmt::format("{} refused", name(step.operation))];
      if (step.operation == Operation::view &&
          try_step(ours, {Operation::reshape, step.numbers})) {
        ++counts["view refused for its strides"];
      }
      continue;
    }
    check_same(our_after->tensor, *torch_after);
    const bool shares = our_after->tensor.shares_storage_with(ours);
    CHECK(shares == torch_after->shares_storage_with(torchs));
    if (our_after->made) CHECK(shares == (*our_after->made == mha::Made::view));
    ++counts[fmt::format("{} {}", name(step.operation),
                         shares ? "shared" : "copied")];
    ours = our_after->tensor;
    torchs = *torch_after;
  }
}

}  // namespace

TEST_CASE("chains of operations share, copy and refuse as in PyTorch") {
  constexpr int chains = 15'000;
  Draw draw(0);
  Counts counts;
  for (int chain = 0; chain < chains; ++chain) run_chain(draw, counts);
  MESSAGE(fmt::format("{}", fmt::join(counts, ", ")));
  CHECK(counts["refused"] >= 1000);
  CHECK(counts["view refused for its strides"] >= 1000);
  CHECK(counts["reshape shared"] >= 1000);
  CHECK(counts["reshape copied"] >= 1000);
  CHECK(counts["contiguous shared"] >= 1000);
  CHECK(counts["contiguous copied"] >= 1000);
  for (const char* each :
       {"transpose", "permute", "narrow", "select", "expand"}) {
    CAPTURE(each);
    CHECK(counts[fmt::format("{} shared", each)] >= 1000);
    CHECK(counts[fmt::format("{} copied", each)] == 0);
    CHECK(counts[fmt::format("{} refused", each)] >= 100);
  }
}
