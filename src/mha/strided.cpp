#include "mha/strided.hpp"

#include <algorithm>

namespace mha {
namespace {

// [exact]
// Whole numbers that do not fit in 64 bits are refused, never cut short.
Index times(Index a, Index b) {
  Index result = 0;
  require(!__builtin_mul_overflow(a, b, &result),
          "{} times {} does not fit in 64 bits; choose smaller sizes", a, b);
  return result;
}

Index plus(Index a, Index b) {
  Index result = 0;
  require(!__builtin_add_overflow(a, b, &result),
          "{} plus {} does not fit in 64 bits; choose smaller sizes", a, b);
  return result;
}
// [exact]

// [from the end]
// Turns a number that may count from the end, such as -1 for the last, into
// one that counts from 0. `what` it numbers, and of how many, for the error.
std::size_t from_the_end(Index number, Index size, const char* what) {
  require(size > 0, "{} {} is out of range; there are none", what, number);
  require(-size <= number && number < size,
          "{} {} is out of range; there are {}, so use {} to {}", what, number,
          size, -size, size - 1);
  return static_cast<std::size_t>(number < 0 ? number + size : number);
}

std::size_t which_dimension(Index number, const Layout& layout) {
  // PyTorch lets a tensor without dimensions answer to 0 and -1.
  const Index rank = static_cast<Index>(layout.shape.size());
  return from_the_end(number, std::max<Index>(rank, 1), "dimension");
}
// [from the end]

// [infer shape]
// Works out the one size that is -1, and checks that the elements fit.
Shape infer_shape(const Shape& wanted, Index count) {
  Index known = 1;
  for (const Index size : wanted) {
    require(size >= -1, "shape {} has the size {}; use 0 or more, or -1 once",
            shape_text(wanted), size);
    if (size != -1) known = times(known, size);
  }
  const auto open = std::count(wanted.begin(), wanted.end(), -1);
  require(open <= 1, "shape {} leaves {} sizes open; leave at most one",
          shape_text(wanted), open);
  require(open == 0 || known != 0 || count != 0,
          "shape {}: any size in place of -1 makes 0 elements; name it",
          shape_text(wanted));
  // [infer shape]
  // [infer shape fit]
  const bool fits =
      open == 0 ? known == count : known != 0 && count % known == 0;
  require(fits,
          "shape {} does not fit {} elements; the sizes must multiply "
          "to {}",
          shape_text(wanted), count, count);
  Shape shape = wanted;
  if (open == 1) {
    std::replace(shape.begin(), shape.end(), Index{-1}, count / known);
  }
  return shape;
}
// [infer shape fit]

// [runs]
// Elements an even step apart: `count` of them, `stride` from each to the next.
struct Run {
  Index count;
  Index stride;
};

// Walks the dimensions from the last to the first and joins neighbours that
// walk memory as one. The result begins with the last run.
std::vector<Run> runs_of(const Layout& layout) {
  if (layout.shape.empty()) return {{1, 1}};
  std::vector<Run> runs = {{layout.shape.back(), layout.strides.back()}};
  for (std::size_t d = layout.shape.size() - 1; d-- > 0;) {
    Run& run = runs.back();
    const Index size = layout.shape[d], stride = layout.strides[d];
    if (size == 1) continue;  // is never stepped along: joins any run
    if (stride == run.count * run.stride) {
      run.count *= size;  // its next index goes on where the run ends
    } else {
      runs.push_back({size, stride});
    }
  }
  return runs;
}
// [runs]

// [cut runs]
// Cuts runs into dimensions of the wanted sizes, from the last to the first.
// Nothing, when a dimension would have to reach from one run into the next.
std::optional<Shape> cut(const std::vector<Run>& runs, const Shape& wanted) {
  Shape strides(wanted.size());
  std::size_t d = wanted.size();
  for (const Run& run : runs) {
    Index filled = 1;
    while (d > 0 && (filled < run.count || wanted[d - 1] == 1)) {
      --d;
      strides[d] = filled * run.stride;
      filled *= wanted[d];
    }
    if (filled != run.count) return std::nullopt;
  }
  return strides;
}
// [cut runs]

}  // namespace

// [shape text]
std::string shape_text(const Shape& shape) {
  return fmt::format("({})", fmt::join(shape, ", "));
}

Index element_count(const Shape& shape) {
  Index count = 1;
  for (const Index size : shape) {
    require(size >= 0, "shape {} has the size {}; use 0 or more",
            shape_text(shape), size);
    count = times(count, size);
  }
  return count;
}
// [shape text]

// [row major]
Layout row_major(const Shape& shape) {
  element_count(shape);  // throws when a size is negative
  Shape strides(shape.size());
  Index step = 1;
  for (std::size_t d = shape.size(); d-- > 0;) {
    strides[d] = step;
    step = times(step, std::max<Index>(shape[d], 1));
  }
  return {shape, strides, 0};
}

bool is_row_major(const Layout& layout) {
  if (element_count(layout.shape) == 0) return true;
  Index step = 1;
  for (std::size_t d = layout.shape.size(); d-- > 0;) {
    if (layout.shape[d] == 1) continue;
    if (layout.strides[d] != step) return false;
    step *= layout.shape[d];
  }
  return true;
}
// [row major]

// [position]
Index position(const Layout& layout, std::span<const Index> index) {
  const Shape& shape = layout.shape;
  require(index.size() == shape.size(),
          "an index of {} numbers does not fit shape {}, which has {}",
          index.size(), shape_text(shape), shape.size());
  Index at = layout.offset;
  for (std::size_t d = 0; d < shape.size(); ++d) {
    require(0 <= index[d] && index[d] < shape[d],
            "index {} is out of range in dimension {} of shape {}", index[d], d,
            shape_text(shape));
    at += index[d] * layout.strides[d];
  }
  return at;
}
// [position]

// [walk]
std::vector<Index> walk(const Layout& layout) {
  require(layout.strides.size() == layout.shape.size(),
          "a layout has {} sizes, but {} strides", layout.shape.size(),
          layout.strides.size());
  if (element_count(layout.shape) == 0) return {};
  std::vector<Index> positions = {layout.offset};
  for (std::size_t d = 0; d < layout.shape.size(); ++d) {
    std::vector<Index> finer;
    for (const Index start : positions) {
      for (Index i = 0; i < layout.shape[d]; ++i) {
        finer.push_back(start + i * layout.strides[d]);
      }
    }
    positions = std::move(finer);
  }
  return positions;
}
// [walk]

// [viewed]
std::optional<Layout> viewed(const Layout& layout, const Shape& wanted) {
  const Index count = element_count(layout.shape);
  const Shape shape = infer_shape(wanted, count);
  if (count == 0) {  // no element can be in the wrong place
    if (shape == layout.shape) return layout;
    return Layout{shape, row_major(shape).strides, layout.offset};
  }
  const std::optional<Shape> strides = cut(runs_of(layout), shape);
  if (!strides) return std::nullopt;
  return Layout{shape, *strides, layout.offset};
}
// [viewed]

// [transposed]
Layout transposed(Layout layout, Index a, Index b) {
  const std::size_t i = which_dimension(a, layout);
  const std::size_t j = which_dimension(b, layout);
  if (i == j) return layout;
  std::swap(layout.shape[i], layout.shape[j]);
  std::swap(layout.strides[i], layout.strides[j]);
  return layout;
}
// [transposed]

// [permuted]
Layout permuted(const Layout& layout, const Shape& order) {
  const std::size_t rank = layout.shape.size();
  require(order.size() == rank,
          "order {} has {} dimensions, but shape {} has {}", shape_text(order),
          order.size(), shape_text(layout.shape), rank);
  Layout result = {{}, {}, layout.offset};
  std::vector<bool> taken(rank, false);
  for (const Index number : order) {
    const std::size_t d = which_dimension(number, layout);
    require(!taken[d], "order {} names dimension {} twice", shape_text(order),
            d);
    taken[d] = true;
    result.shape.push_back(layout.shape[d]);
    result.strides.push_back(layout.strides[d]);
  }
  return result;
}
// [permuted]

// [narrowed]
Layout narrowed(Layout layout, Index dimension, Index start, Index length) {
  require(!layout.shape.empty(), "shape () has no dimension to cut");
  const std::size_t d = which_dimension(dimension, layout);
  const Index size = layout.shape[d];
  const Index first =
      start == size ? size  // nothing can be kept from here, but 0 elements
                    : static_cast<Index>(from_the_end(
                          start, std::max<Index>(size, 1), "start"));
  require(0 <= length && length <= size - first,
          "length {} from {} does not fit dimension {} of shape {}", length,
          start, d, shape_text(layout.shape));
  layout.shape[d] = length;
  layout.offset = plus(layout.offset, times(first, layout.strides[d]));
  return layout;
}
// [narrowed]

// [selected]
Layout selected(Layout layout, Index dimension, Index index) {
  require(!layout.shape.empty(), "shape () has no dimension to select from");
  const std::size_t d = which_dimension(dimension, layout);
  const Index i =
      static_cast<Index>(from_the_end(index, layout.shape[d], "index"));
  layout.offset = plus(layout.offset, times(i, layout.strides[d]));
  const auto at = static_cast<std::ptrdiff_t>(d);
  layout.shape.erase(layout.shape.begin() + at);
  layout.strides.erase(layout.strides.begin() + at);
  return layout;
}
// [selected]

// [expanded]
Layout expanded(const Layout& layout, const Shape& wanted) {
  require(wanted.size() >= layout.shape.size(),
          "shape {} has more dimensions than {}; expand only adds some",
          shape_text(layout.shape), shape_text(wanted));
  const std::size_t added = wanted.size() - layout.shape.size();
  Layout result = {wanted, Shape(wanted.size(), 0), layout.offset};
  Index beyond = 0;  // one step past all that lies to the right
  for (std::size_t d = wanted.size(); d-- > 0;) {
    const bool is_new = d < added;
    const Index size = is_new ? 1 : layout.shape[d - added];
    if (wanted[d] == -1 && !is_new) result.shape[d] = size;
    if (result.shape[d] == size) {
      result.strides[d] = is_new ? beyond : layout.strides[d - added];
    } else {
      require(size == 1 && wanted[d] >= 0,
              "cannot expand shape {} to {}: size {} would become {}",
              shape_text(layout.shape), shape_text(wanted), size, wanted[d]);
    }
    beyond = times(result.shape[d], result.strides[d]);
  }
  element_count(result.shape);  // throws when there are too many
  return result;
}
// [expanded]

}  // namespace mha
