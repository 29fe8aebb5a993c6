// Chapter 5: how tensors walk through memory.
#include "walks.hpp"

#include "mha/program.hpp"
#include "mha/svg.hpp"

#include <doctest/doctest.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <numeric>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace walks {

// [names]
using mha::Index;
using mha::Shape;
using mha::shape_text;
using Tensor = mha::StridedTensor<int>;
// [names]

// [ways]
Tensor split_then_swap(const Split& s) {
  const Tensor x = mha::arange<int>(s.tokens * s.heads * s.d_head);
  return x.view({s.tokens, s.heads, s.d_head}).transpose(0, 1);
}

Tensor one_view(const Split& s) {
  const Tensor x = mha::arange<int>(s.tokens * s.heads * s.d_head);
  return x.view({s.heads, s.tokens, s.d_head});
}
// [ways]

namespace {

// [owner]
// Whose a float is: which token made it, and for which of its heads.
struct Owner {
  Index token, head;
  bool operator==(const Owner&) const = default;
};

Owner owner_of(Index at, const Split& s) {
  const Index width = s.heads * s.d_head;
  return {at / width, at % width / s.d_head};
}

// Whose floats stand in row `row` of head `head`. One view keeps each piece of
// d_head floats together, so its first float speaks for all.
Owner owner_in(const Tensor& heads, Index head, Index row, const Split& s) {
  return owner_of(heads(head, row, 0), s);
}
// [owner]

// [print tensor]
void print_tensor(const std::string& name, const Tensor& tensor) {
  fmt::print("{:<33} {:<10} {:<10} {}\n", name, shape_text(tensor.shape()),
             shape_text(tensor.strides()), tensor.layout().offset);
}

void print_strides(const Split& s) {
  mha::heading("A tensor is an address and strides");
  fmt::print("{:<33} {:<10} {:<10} {}\n", "", "shape", "strides", "starts at");
  const Tensor x = mha::arange<int>(s.tokens * s.heads * s.d_head);
  const Tensor rows = x.view({s.tokens, s.heads, s.d_head});
  const Tensor heads = rows.transpose(0, 1);
  print_tensor("x", x);
  print_tensor("rows = x.view(T, H, d)", rows);
  print_tensor("heads = rows.transpose(0, 1)", heads);
  print_tensor("heads.select(0, H - 1)", heads.select(0, -1));
  print_tensor("heads.narrow(1, T - 1, 1)", heads.narrow(1, s.tokens - 1, 1));
}
// [print tensor]

// [print views]
void print_view(const Tensor& tensor, const Shape& wanted) {
  const auto layout = mha::viewed(tensor.layout(), wanted);
  fmt::print("  as {:<14} {}\n", shape_text(wanted),
             layout ? "strides " + shape_text(layout->strides) : "no view");
}

void print_views(const Split& s) {
  mha::heading("Which view exists");
  const Tensor heads = split_then_swap(s);
  const Index h = s.heads, t = s.tokens, d = s.d_head;
  for (const Tensor& tensor : {heads.transpose(0, 1), heads}) {
    fmt::print("shape {}, strides {}\n", shape_text(tensor.shape()),
               shape_text(tensor.strides()));
    const Shape& shape = tensor.shape();
    print_view(tensor, {h * t * d});
    print_view(tensor, {shape[0] * shape[1], d});
    print_view(tensor, {shape[0], shape[1] * d});
    print_view(tensor, {shape[0], 1, shape[1], d});
  }
}
// [print views]

// [print refusal]
void print_refusal() {
  mha::heading("View refuses, reshape copies");
  const Tensor m = mha::arange<int>(6).view({2, 3});
  const Tensor turned = m.transpose(0, 1);
  for (const Tensor& tensor : {m, turned}) {
    fmt::print("shape {}, strides {}\n", shape_text(tensor.shape()),
               shape_text(tensor.strides()));
    const bool has_view = mha::viewed(tensor.layout(), {6}).has_value();
    fmt::print("  view(6)     {}\n", has_view ? "is possible" : "is refused");
    const auto [flat, made] = tensor.reshape({6});
    fmt::print("  reshape(6)  {}, {}\n", fmt::join(flat.values(), " "),
               made == mha::Made::view ? "memory shared" : "copied");
  }
}
// [print refusal]

// [print ways]
std::string text_of(const Owner& owner) {
  return fmt::format("token {}, head {}", owner.token, owner.head);
}

void print_ways(const Split& s) {
  mha::heading("Two ways to the same shape");
  const Tensor right = split_then_swap(s), wrong = one_view(s);
  fmt::print("{:<16} {:<20} {}\n", shape_text(right.shape()),
             "split, then swap", "one view");
  for (Index h = 0; h < s.heads; ++h) {
    for (Index t = 0; t < s.tokens; ++t) {
      fmt::print("{:<16} {:<20} {}\n", fmt::format("head {}, row {}", h, t),
                 text_of(owner_in(right, h, t, s)),
                 text_of(owner_in(wrong, h, t, s)));
    }
  }
  fmt::print("{:<16} {:<20} {}\n", "rows in place", rows_in_place(right, s),
             rows_in_place(wrong, s));
}
// [print ways]

// [cell labels]
std::vector<std::string> token_labels(const Split& s) {
  std::vector<std::string> cells;
  for (Index at = 0; at < s.tokens * s.heads * s.d_head; ++at) {
    cells.push_back(fmt::format("t{}", owner_of(at, s).token));
  }
  return cells;
}

std::vector<std::string> number_labels(const std::vector<int>& numbers) {
  std::vector<std::string> cells;
  for (const int number : numbers) cells.push_back(fmt::format("{}", number));
  return cells;
}
// [cell labels]

// [draw strip]
constexpr Index cells_a_line = 24;
constexpr double cell = 26, line_height = 52;

Index lines_of(const Strip& strip) {
  const Index cells = static_cast<Index>(strip.cells.size());
  return (cells + cells_a_line - 1) / cells_a_line;
}

// When each cell is read, such as "3", or "0, 4" for one that is read twice.
std::vector<std::string> visits(const Strip& strip) {
  std::vector<std::string> when(strip.cells.size());
  Index step = 0;
  for (const Index at : mha::walk(strip.reads)) {
    std::string& text = when.at(static_cast<std::size_t>(at));
    text += fmt::format("{}{}", text.empty() ? "" : ", ", step++);
  }
  return when;
}
// [draw strip]

// [draw cells]
void draw_strip(mha::Svg& svg, double top, const Strip& strip) {
  svg.text(0, top, strip.title, "", "font-weight='600'");
  const std::vector<std::string> when = visits(strip);
  for (std::size_t n = 0; n < strip.cells.size(); ++n) {
    const Index at = static_cast<Index>(n);
    const double x = cell * static_cast<double>(at % cells_a_line);
    const double y =
        top + 10 + line_height * static_cast<double>(at / cells_a_line);
    const bool read = !when[n].empty();
    svg.rectangle(x, y, cell - 2, cell - 2,
                  read ? "fill='var(--mark,#b4540a)' fill-opacity='0.85'"
                       : "fill='var(--heat,#2563a8)' fill-opacity='0.18'",
                  fmt::format("float {}: {}", n, strip.cells[n]));
    svg.text(
        x + cell / 2 - 1, y + 16, strip.cells[n], "middle",
        read ? "font-size='11' fill='var(--paper,#fff)'" : "font-size='11'");
    svg.text(x + cell / 2 - 1, y + 38, when[n], "middle",
             "font-size='10' fill='var(--quiet,#666)'");
  }
}
// [draw cells]

}  // namespace

// [rows in place]
Index rows_in_place(const Tensor& heads, const Split& s) {
  Index count = 0;
  for (Index h = 0; h < s.heads; ++h) {
    for (Index t = 0; t < s.tokens; ++t) {
      if (owner_in(heads, h, t, s) == Owner{t, h}) ++count;
    }
  }
  return count;
}
// [rows in place]

// [draw strips]
std::string draw_strips(const std::string& title,
                        const std::string& description,
                        const std::vector<Strip>& strips) {
  mha::Svg svg(title, description);
  double top = 14;
  Index widest = 18;  // of the line of words below
  for (const Strip& strip : strips) {
    draw_strip(svg, top, strip);
    top += 24 + line_height * static_cast<double>(lines_of(strip));
    const Index cells = static_cast<Index>(strip.cells.size());
    widest = std::max(widest, std::min(cells, cells_a_line));
  }
  svg.text(0, top, "Filled: what is read, and when, counted from 0.",
           "", "fill='var(--quiet,#666)'");
  return svg.finish(cell * static_cast<double>(widest), top + 10);
}
// [draw strips]

// [figures]
std::string draw_two_ways(const Split& s) {
  const Index h = std::min<Index>(1, s.heads - 1);
  const auto cells = token_labels(s);
  return draw_strips(
      "What one head reads after each of two reshapes",
      "Two strips of the same memory, each cell named by its token. Split, "
      "then swapped, the head reads its piece of every token. After one view "
      "it reads one stretch of memory, with all pieces of some tokens and none "
      "of others.",
      {{fmt::format(
            "head {} of view(T, H, d).transpose(0, 1): a piece of every token",
            h),
        cells, split_then_swap(s).select(0, h).layout()},
       {fmt::format("head {} of view(H, T, d): whatever lies there", h), cells,
        one_view(s).select(0, h).layout()}});
}

std::string draw_flattening() {
  const Tensor m = mha::arange<int>(6).view({2, 3});
  const Tensor turned = m.transpose(0, 1);
  const Tensor copy = turned.contiguous();
  return draw_strips(
      "Reading a transposed tensor in order",
      "Two strips of six cells. In the memory of the 2 by 3 tensor its "
      "transpose reads cells 0, 3, 1, 4, 2, 5, jumping to and fro. In the copy "
      "the same numbers lie in the order in which they are read.",
      {{"the transpose, in the memory it shares", number_labels(m.values()),
        turned.layout()},
       {"the transpose, copied", number_labels(copy.values()), copy.layout()}});
}
// [figures]

// [print walks]
void print_walks(const Split& split) {
  print_ways(split);
  print_strides(split);
  print_views(split);
  print_refusal();
}
// [print walks]

// [add values]
void add_values(mha::Values& values, const Split& split) {
  const auto count = [&](const std::string& name, Index n) {
    values.add(name, static_cast<double>(n), "{:.0f}");
  };
  count("rows", split.heads * split.tokens);
  count("rows_in_place", rows_in_place(one_view(split), split));
  const Split large = {.tokens = 512, .heads = 12, .d_head = 64};
  count("large_rows", large.heads * large.tokens);
  count("large_rows_in_place", rows_in_place(one_view(large), large));
  // Exercise 5.1.
  const Tensor x = mha::arange<int>(24).view({2, 3, 4}).permute({2, 0, 1});
  count("flattened_number", x.reshape({-1}).tensor(10));
}
// [add values]

}  // namespace walks

TEST_CASE("the same floats: one view to heads reads other tokens") {
  const walks::Split split = {.tokens = 3, .heads = 2, .d_head = 4};
  const auto right = walks::split_then_swap(split);
  const auto wrong = walks::one_view(split);
  CHECK(right.shape() == wrong.shape());
  for (int t = 0; t < 3; ++t) CHECK(right(0, t, 0) / 8 == t);
  CHECK(wrong(0, 1, 0) / 8 == 0);  // row 1 is still token 0
  CHECK(wrong(0, 2, 0) / 8 == 1);  // row 2 is token 1
}

TEST_CASE("with one head or one token both ways agree") {
  for (const walks::Split& split :
       {walks::Split{.tokens = 5, .heads = 1, .d_head = 4},
        walks::Split{.tokens = 1, .heads = 5, .d_head = 4}}) {
    CHECK(walks::split_then_swap(split).values() ==
          walks::one_view(split).values());
  }
}

TEST_CASE(
    "one view leaves 1 + gcd(T - 1, H - 1) rows in place, corners among them") {
  for (mha::Index t = 1; t <= 12; ++t) {
    for (mha::Index h = 1; h <= 12; ++h) {
      const walks::Split split = {.tokens = t, .heads = h, .d_head = 2};
      CHECK(walks::rows_in_place(walks::one_view(split), split) ==
            1 + std::gcd(t - 1, h - 1));
      const auto right = walks::split_then_swap(split);
      CHECK(walks::rows_in_place(right, split) == t * h);
      CHECK(walks::one_view(split)(0, 0, 0) == right(0, 0, 0));
      CHECK(walks::one_view(split)(h - 1, t - 1, 0) == right(h - 1, t - 1, 0));
    }
  }
}

TEST_CASE("a transpose moves nothing") {
  const auto m = mha::arange<int>(6).view({2, 3});
  const auto turned = m.transpose(0, 1);
  CHECK(turned.shares_storage_with(m));
  CHECK(turned.storage() == std::vector<int>{0, 1, 2, 3, 4, 5});
  CHECK(turned.strides() == mha::Shape{1, 3});
  turned(2, 1) = 77;
  CHECK(m(1, 2) == 77);
}

TEST_CASE("a view of a transposed tensor is refused and says what to do") {
  const auto turned = mha::arange<int>(6).view({2, 3}).transpose(0, 1);
  CHECK_THROWS_WITH_AS(
      turned.view({6}),
      "no view of shape (3, 2) with strides (1, 3) has the shape (6); use "
      "reshape, which copies, or contiguous() before view",
      std::invalid_argument);
}

TEST_CASE("2 x 3, transposed and flattened, is 0 3 1 4 2 5, by a copy") {
  const auto turned = mha::arange<int>(6).view({2, 3}).transpose(0, 1);
  const auto [flat, made] = turned.reshape({6});
  CHECK(flat.values() == std::vector<int>{0, 3, 1, 4, 2, 5});
  CHECK(made == mha::Made::copy);
  flat(0) = 77;
  CHECK(turned(0, 0) == 0);
}

TEST_CASE("reshape shares memory wherever view would do") {
  const auto m = mha::arange<int>(24).view({3, 8});
  const auto [split, made] = m.reshape({3, 2, 4});
  CHECK(made == mha::Made::view);
  CHECK(split.shares_storage_with(m));
}

TEST_CASE("contiguous copies only when it must") {
  const auto m = mha::arange<int>(6).view({2, 3});
  CHECK(m.contiguous().shares_storage_with(m));
  const auto turned = m.transpose(0, 1);
  CHECK_FALSE(turned.contiguous().shares_storage_with(turned));
  CHECK(turned.contiguous().values() == turned.values());
  CHECK(turned.contiguous().is_contiguous());
}

TEST_CASE(
    "no view merges heads, unless there is one head, one token or one float") {
  const auto merges = [](const walks::Split& s) {
    const mha::Layout heads = mha::row_major({s.heads, s.tokens, s.d_head});
    return mha::viewed(mha::transposed(heads, 0, 1),
                       {s.tokens, s.heads * s.d_head})
        .has_value();
  };
  CHECK_FALSE(merges({.tokens = 3, .heads = 2, .d_head = 4}));
  CHECK_FALSE(merges({.tokens = 2, .heads = 2, .d_head = 2}));
  CHECK(merges({.tokens = 3, .heads = 1, .d_head = 4}));
  CHECK(merges({.tokens = 1, .heads = 2, .d_head = 4}));
  CHECK(merges({.tokens = 3, .heads = 2, .d_head = 1}));
}

TEST_CASE("expand repeats a head without memory: its stride is 0") {
  const auto kv = mha::arange<int>(24).view({2, 1, 3, 4});  // 2 heads, 3 tokens
  const auto repeated = kv.expand({2, 4, 3, 4});
  CHECK(repeated.strides() == mha::Shape{12, 0, 4, 1});
  CHECK(repeated.shares_storage_with(kv));
  CHECK(repeated(1, 3, 0, 0) == kv(1, 0, 0, 0));
  CHECK(repeated.reshape({8, 3, 4}).made == mha::Made::copy);
}

// [view by definition]
// Whether some strides make a view, found without the rule: from the places of
// the elements alone. Element (0, …, 1, …, 0) decides the stride of its
// dimension, and then every element must lie where those strides say.
static bool view_by_definition(const mha::Layout& layout,
                               const mha::Shape& wanted) {
  const std::vector<mha::Index> places = mha::walk(layout);
  mha::Layout view = mha::row_major(wanted);
  for (std::size_t d = 0; d < wanted.size(); ++d) {
    if (wanted[d] == 1) continue;
    const auto next = static_cast<std::size_t>(view.strides[d]);
    view.strides[d] = places[next] - places[0];
  }
  view.offset = places[0];
  return mha::walk(view) == places;
}
// [view by definition]

TEST_CASE("the rule of runs finds a view exactly when there is one") {
  const mha::Shape shapes[] = {{24},      {4, 6},    {6, 4},       {2, 12},
                               {2, 3, 4}, {3, 2, 4}, {2, 2, 3, 2}, {1, 24, 1}};
  for (const mha::Shape& from : shapes) {
    const auto x = mha::arange<int>(24).view(from);
    for (mha::Index a = 0; a < static_cast<mha::Index>(from.size()); ++a) {
      const mha::Layout layout = x.transpose(a, -1).layout();
      for (const mha::Shape& to : shapes) {
        CAPTURE(mha::shape_text(layout.shape));
        CAPTURE(mha::shape_text(to));
        CHECK(mha::viewed(layout, to).has_value() ==
              view_by_definition(layout, to));
      }
    }
  }
}
