// The strided tensor: what shares memory, what copies, and what is refused.
#include "mha/strided.hpp"

#include <doctest/doctest.h>

#include <limits>
#include <stdexcept>
#include <vector>

namespace {

using mha::Index;
using mha::Layout;
using mha::Made;
using mha::Shape;
using Tensor = mha::StridedTensor<int>;

Tensor counting(const Shape& shape) {
  return mha::arange<int>(mha::element_count(shape)).view(shape);
}

// Expects the call to be refused with this message.
template <typename Call>
void refuse(Call call, const char* message) {
  CHECK_THROWS_WITH_AS(call(), message, std::invalid_argument);
}

constexpr Index huge = Index{1} << 40;

}  // namespace

TEST_CASE("element (i, j, k) lies at offset plus indices times strides") {
  const Tensor t = counting({3, 2, 4});
  CHECK(t.strides() == Shape{8, 4, 1});
  CHECK(t(2, 1, 3) == 23);
  CHECK(t.transpose(0, 2)(3, 1, 2) == 23);
  CHECK(t.select(0, 1).narrow(1, 2, 2).layout() == Layout{{2, 2}, {4, 1}, 10});
}

TEST_CASE("writing to a view writes to the tensor it came from") {
  const Tensor t = counting({2, 3});
  t.transpose(0, 1)(2, 0) = 77;
  CHECK(t(0, 2) == 77);
  CHECK(t.shares_storage_with(t.transpose(0, 1)));
}

TEST_CASE("a copy is on its own") {
  const Tensor t = counting({2, 3});
  const Tensor copy = t.transpose(0, 1).contiguous();
  copy(0, 0) = 77;
  CHECK(t(0, 0) == 0);
  CHECK_FALSE(t.shares_storage_with(copy));
  CHECK(copy.contiguous().shares_storage_with(copy));
}

TEST_CASE("reshape says whether it copied") {
  const Tensor t = counting({2, 6});
  CHECK(t.reshape({3, 4}).made == Made::view);
  CHECK(t.reshape({3, 4}).tensor.shares_storage_with(t));
  const auto flat = t.transpose(0, 1).reshape({-1});
  CHECK(flat.made == Made::copy);
  CHECK_FALSE(flat.tensor.shares_storage_with(t));
  CHECK(flat.tensor.values() == t.transpose(0, 1).values());
}

TEST_CASE("a view may join what walks memory as one, and nothing else") {
  const Tensor heads_first = counting({3, 2, 4}).transpose(0, 1);
  CHECK(heads_first.shape() == Shape{2, 3, 4});
  CHECK(heads_first.strides() == Shape{4, 8, 1});
  CHECK_THROWS_AS(heads_first.view({6, 4}), std::invalid_argument);
  CHECK_THROWS_AS(heads_first.view({2, 12}), std::invalid_argument);
  CHECK(heads_first.view({2, 3, 2, 2}).strides() == Shape{4, 8, 2, 1});
  // Every other row: even steps all the way, so it can be flattened.
  const Tensor every_other = counting({4, 2}).select(1, 1);
  CHECK(every_other.view({2, 2}).strides() == Shape{4, 2});
  CHECK(counting({4, 4}).narrow(0, 1, 2).view({8}).layout() ==
        Layout{{8}, {1}, 4});
  CHECK(counting({2, 3, 2}).select(2, 0).view({6}).strides() == Shape{2});
}

TEST_CASE("a dimension of size 1 never stands in the way of a view") {
  const Tensor one = counting({3, 2, 4}).narrow(1, 1, 1);
  CHECK(one.layout() == Layout{{3, 1, 4}, {8, 4, 1}, 4});
  CHECK(one.view({3, 4}).strides() == Shape{8, 1});
  CHECK(one.transpose(0, 1).view({1, 1, 3, 4}).strides() ==
        Shape{24, 24, 8, 1});
  CHECK(counting({1, 5}).transpose(0, 1).is_contiguous());
  const Tensor between = counting({1, 2, 3}).transpose(0, 1);
  CHECK(between.layout() == Layout{{2, 1, 3}, {3, 6, 1}, 0});
  CHECK(between.view({6}).strides() == Shape{1});
}

TEST_CASE("the size -1 is worked out") {
  CHECK(counting({2, 6}).view({-1, 4}).shape() == Shape{3, 4});
  CHECK(counting({0, 6}).view({-1, 4}).shape() == Shape{0, 4});
  CHECK(counting({}).view({-1}).shape() == Shape{1});
}

TEST_CASE("a tensor without elements takes any shape without elements") {
  const Tensor none = counting({2, 0, 3});
  CHECK(none.is_contiguous());
  CHECK(none.transpose(0, 2).view({0, 5}).strides() == Shape{5, 1});
  CHECK(none.transpose(0, 2).view({3, 0, 2}).strides() == Shape{1, 3, 3});
  CHECK(none.values().empty());
}

TEST_CASE("a tensor without dimensions has one element") {
  const Tensor one = mha::arange<int>(8).select(0, 5);
  CHECK(one.shape() == Shape{});
  CHECK(one() == 5);
  CHECK(one.transpose(0, -1).values() == std::vector<int>{5});
  CHECK(one.view({1, 1}).strides() == Shape{1, 1});
  CHECK(one.expand({2, 1}).strides() == Shape{0, 0});
}

TEST_CASE("expand repeats with stride 0") {
  const Tensor heads = counting({2, 1, 3}).expand({2, 4, 3});
  CHECK(heads.strides() == Shape{3, 0, 1});
  CHECK(heads(1, 0, 2) == 5);
  CHECK(heads(1, 3, 2) == 5);
  CHECK(heads.storage().size() == 6);
  CHECK(heads.reshape({8, 3}).made == Made::copy);
  CHECK(counting({5}).expand({1, 5}).strides() == Shape{5, 1});
  CHECK(heads.expand({5, -1, -1, -1}).strides() == Shape{0, 3, 0, 1});
}

TEST_CASE("negative dimensions and indices count from the end") {
  const Tensor t = counting({3, 2, 4});
  CHECK(t.transpose(-1, -3).layout() == t.transpose(2, 0).layout());
  CHECK(t.permute({-1, 0, -2}).shape() == Shape{4, 3, 2});
  CHECK(t.select(-1, -1).layout() == t.select(2, 3).layout());
  CHECK(t.narrow(0, -1, 1).layout() == t.narrow(0, 2, 1).layout());
}

TEST_CASE("a slice may begin at the end and be empty") {
  CHECK(counting({3, 4}).narrow(0, 3, 0).layout() ==
        Layout{{0, 4}, {4, 1}, 12});
}

TEST_CASE("a matrix and its tensor hold the same numbers") {
  mha::Matrix<int> m(2, 3);
  m << 0, 1, 2, 3, 4, 5;
  CHECK(mha::tensor_of(m).values() == counting({2, 3}).values());
  CHECK(mha::matrix_of(mha::tensor_of(m).transpose(0, 1)) == m.transpose());
}

TEST_CASE("what a view cannot do is refused with shape and strides") {
  refuse(
      [] {
        counting({2, 3}).transpose(0, 1).view({6});
      },
      "no view of shape (3, 2) with strides (1, 3) has the shape (6); use "
      "reshape, which copies, or contiguous() before view");
}

TEST_CASE("shapes that do not fit are refused with both") {
  refuse(
      [] {
        counting({2, 6}).view({5, 3});
      },
      "shape (5, 3) does not fit 12 elements; the sizes must multiply to "
      "12");
  refuse(
      [] {
        counting({2, 6}).reshape({5, -1});
      },
      "shape (5, -1) does not fit 12 elements; the sizes must multiply to "
      "12");
  refuse(
      [] {
        counting({2, 6}).view({0, -1});
      },
      "shape (0, -1) does not fit 12 elements; the sizes must multiply to "
      "12");
  refuse(
      [] {
        counting({2, 6}).view({-1, -1});
      },
      "shape (-1, -1) leaves 2 sizes open; leave at most one");
  refuse(
      [] {
        counting({2, 6}).view({-2, -6});
      },
      "shape (-2, -6) has the size -2; use 0 or more, or -1 once");
  refuse(
      [] {
        counting({0, 6}).view({0, -1});
      },
      "shape (0, -1): any size in place of -1 makes 0 elements; name it");
  refuse(
      [] {
        Tensor({1, 2, 3}, {2, 2});
      },
      "shape (2, 2) has 4 elements, but 3 were given");
  refuse([] { Tensor({}, {-1}); }, "shape (-1) has the size -1; use 0 or more");
  refuse([] { mha::matrix_of(mha::arange<int>(3)); },
         "a matrix has 2 dimensions, but shape (3) has 1");
}

TEST_CASE("dimensions and indices that are not there are refused") {
  const Tensor t = counting({2, 3});
  refuse([&] { t.transpose(0, 2); },
         "dimension 2 is out of range; there are 2, so use -2 to 1");
  refuse([&] { t.permute({0, 0}); }, "order (0, 0) names dimension 0 twice");
  refuse([&] { t.permute({0}); },
         "order (0) has 1 dimensions, but shape (2, 3) has 2");
  refuse([&] { t.select(1, 3); },
         "index 3 is out of range; there are 3, so use -3 to 2");
  refuse([&] { counting({0}).select(0, 0); },
         "index 0 is out of range; there are none");
  refuse([&] { t.narrow(1, 2, 2); },
         "length 2 from 2 does not fit dimension 1 of shape (2, 3)");
  refuse([&] { t.narrow(1, 4, 0); },
         "start 4 is out of range; there are 3, so use -3 to 2");
  refuse([&] { t.narrow(1, 0, -1); },
         "length -1 from 0 does not fit dimension 1 of shape (2, 3)");
  refuse([] { counting({}).narrow(0, 0, 0); },
         "shape () has no dimension to cut");
  refuse([] { counting({}).select(0, 0); },
         "shape () has no dimension to select from");
  refuse(
      [&] {
        t.expand({2, 4});
      },
      "cannot expand shape (2, 3) to (2, 4): size 3 would become 4");
  refuse(
      [] {
        counting({3}).expand({-1, 3});
      },
      "cannot expand shape (3) to (-1, 3): size 1 would become -1");
  refuse([&] { t.expand({3}); },
         "shape (2, 3) has more dimensions than (3); expand only adds some");
  refuse([&] { t(0, 3); },
         "index 3 is out of range in dimension 1 of shape (2, 3)");
  refuse([&] { t(-1, 0); },
         "index -1 is out of range in dimension 0 of shape (2, 3)");
  refuse([&] { t(0); },
         "an index of 1 numbers does not fit shape (2, 3), which has 2");
}

TEST_CASE("sizes and places need more than 32 bits, and get them") {
  const Layout layout = mha::row_major({3, huge});
  CHECK(layout.strides == Shape{huge, 1});
  CHECK(mha::narrowed(layout, 0, 2, 1).offset == 2 * huge);
  CHECK(mha::element_count({huge, 1 << 20}) == huge << 20);
}

TEST_CASE("products over 64 bits are refused, not wrapped") {
  refuse(
      [] {
        mha::element_count({huge, huge});
      },
      "1099511627776 times 1099511627776 does not fit in 64 bits; choose "
      "smaller sizes");
  CHECK_THROWS_AS(mha::row_major({0, huge, huge}), std::invalid_argument);
  CHECK_THROWS_AS(counting({2}).view({huge, huge, 0}), std::invalid_argument);
  CHECK_THROWS_AS(counting({1}).expand({huge, huge}), std::invalid_argument);
  const Layout far = {{2}, {1}, std::numeric_limits<Index>::max()};
  CHECK_THROWS_AS(mha::selected(far, 0, 1), std::invalid_argument);
}
