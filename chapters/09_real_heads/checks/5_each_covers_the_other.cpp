#include "exercise/exercise.hpp"

#include <doctest/doctest.h>

mha::Matrix<double> written_rows();

namespace {

using Gates = mha::RowVector<double>;

double loss(const Gates& gates) {
  const mha::Matrix<double> written = written_rows();
  mha::expect(written.rows() == 3 && written.cols() == 4,
              fmt::format("expected 3 x 4 numbers, got {} x {}",
                          written.rows(), written.cols()));
  mha::expect(written.allFinite(), "The rows must be finite numbers.");
  const mha::RowVector<double> whole = written.colwise().sum();
  const mha::RowVector<double> rest = gates * written;
  mha::expect(whole.norm() > 1e-9 && rest.norm() > 1e-9,
              "A sum of length zero has no direction. Something must be left.");
  return 1 - whole.dot(rest) / (whole.norm() * rest.norm());
}

const Gates without_0{{0, 1, 1}}, without_1{{1, 0, 1}}, without_2{{1, 1, 0}},
    without_both{{0, 0, 1}};

}  // namespace

TEST_CASE("two heads can go one at a time and not both") {
  mha::expect(loss(without_0) < 0.02 && loss(without_1) < 0.02,
              fmt::format("without head 0 the loss is {:.3f}, without head 1 "
                          "{:.3f}; expected below 0.02.\nWho says what another "
                          "says is not missed.", loss(without_0),
                          loss(without_1)));
  mha::expect(loss(without_both) > 0.9,
              fmt::format("without both the loss is {:.3f}; expected above 0.9."
                          "\nWhat is left must point elsewhere than the whole.",
                          loss(without_both)));
}

TEST_CASE("the third head is missed more than one of the two") {
  mha::expect(loss(without_2) > loss(without_0),
              fmt::format("without head 2 the loss is {:.4f}, without head 0 "
                          "{:.4f}.\nIs head 2 heard at all?", loss(without_2),
                          loss(without_0)));
}
