#include "exercise/exercise.hpp"

#include "mha/generator.hpp"

#include <Eigen/Dense>
#include <doctest/doctest.h>

struct Factors {
  mha::Matrix<double> w_v;  // (d_model, d_v), with d_v not above d_model
  mha::Matrix<double> w_o;  // (d_v, d_model)
};

Factors tidy(const Factors& head);
mha::Index numbers_needed(mha::Index d_model, mha::Index d_v);

namespace {

using mha::Index;
using mha::Matrix;

Factors random_head(mha::TorchGenerator& generator, Index d_model, Index d_v) {
  return {generator.normal(d_model, d_v).cast<double>(),
          generator.normal(d_v, d_model).cast<double>()};
}

// The rank of the changes of the product, one column for every entry of the
// factors that is moved by 1.
Index measured(Index d_model, Index d_v) {
  mha::TorchGenerator generator(4);
  const Factors head = random_head(generator, d_model, d_v);
  Eigen::MatrixXd changes(d_model * d_model, 2 * d_model * d_v);
  Index column = 0;
  const auto note = [&](const Matrix<double>& change) {
    changes.col(column++) =
        Eigen::Map<const Eigen::VectorXd>(change.data(), change.size());
  };
  for (Index i = 0; i < d_model; ++i) {
    for (Index j = 0; j < d_v; ++j) {
      Matrix<double> unit = Matrix<double>::Zero(d_model, d_v);
      unit(i, j) = 1;
      note(unit * head.w_o);
      note(head.w_v * unit.transpose());
    }
  }
  return Eigen::FullPivLU<Eigen::MatrixXd>(changes).rank();
}

void expect_tidy(const Factors& head, const std::string& what) {
  const Factors got = tidy(head);
  const Index d_v = head.w_v.cols();
  mha::expect(got.w_v.rows() == head.w_v.rows() && got.w_v.cols() == d_v &&
                  got.w_o.rows() == d_v && got.w_o.cols() == head.w_o.cols(),
              fmt::format("{}\nthe factors must keep their shapes.", what));
  // Numbers of about 10, a few dozen roundings.
  mha::expect_close(got.w_v * got.w_o, head.w_v * head.w_o, 1e-12,
                    what + ": the product of the factors",
                    "What is multiplied into one factor must be taken out of "
                    "the other, on the side where they meet.");
  mha::expect_close(got.w_v.transpose() * got.w_v,
                    Matrix<double>::Identity(d_v, d_v), 1e-12,
                    what + ": every column of w_v times every other",
                    "Columns of length 1 at right angles give ones on the "
                    "diagonal and zeros beside it.");
}

}  // namespace

TEST_CASE("the tidy factors make the same circuit") {
  mha::TorchGenerator generator(5);
  for (const auto& [d_model, d_v] :
       {std::pair<Index, Index>{8, 2}, {8, 8}, {5, 3}, {6, 1}}) {
    expect_tidy(random_head(generator, d_model, d_v),
                fmt::format("d_model {}, d_v {}", d_model, d_v));
  }
}

TEST_CASE("a head needs as many numbers as the product can be moved in") {
  for (const auto& [d_model, d_v] : {std::pair<Index, Index>{4, 1}, {4, 2},
                                     {4, 4}, {6, 2}, {7, 3}}) {
    const Index right = measured(d_model, d_v);
    const Index got = numbers_needed(d_model, d_v);
    const char* thought =
        got == 2 * d_model * d_v
            ? "That is all that is stored. How many of these directions leave "
              "the product where it is?"
        : got == d_model * d_model
            ? "That is the size of the product. It can move in all its "
              "entries only if the head is as wide as the token."
        : got < right ? "The product can be moved in more ways than that."
                      : "Every invertible matrix between the factors is a "
                        "choice that says nothing. How many entries has it?";
    mha::expect(got == right,
                fmt::format("d_model {}, d_v {}\nexpected {}, got {}.\n{}",
                            d_model, d_v, right, got, thought));
  }
}
