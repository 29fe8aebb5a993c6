#include "mutable_programs.hpp"

#include <stdexcept>

namespace mutants {
namespace {

using Numbers = mha::Matrix<double>;
using Bias = mha::RowVector<double>;

// The changes that any of the three projections can suffer.
struct Names {
  const char *row, *column, *transposed, *first, *end, *bias, *bias_column;
};
constexpr Names of_q = {"w_q, row", "w_q, column", "w_q", "x for q, first",
                        "x for q, end", "b_q", "b_q, column"};
constexpr Names of_k = {"w_k, row", "w_k, column", "w_k", "x for k, first",
                        "x for k, end", "b_k", "b_k, column"};
constexpr Names of_v = {"w_v, row", "w_v, column", "w_v", "x for v, first",
                        "x for v, end", "b_v", "b_v, column"};

Numbers projected(const Numbers& x, const Numbers& w, const Bias& bias,
                  Index heads, const Names& names, const Mutator& m) {
  Numbers y(x.rows(), w.cols());
  for (Index t = 0; t < x.rows(); ++t)
    for (Index o = 0; o < w.cols(); ++o) {
      double sum = 0;
      if (bias.size() > 0) {
        const Wrapped<const double> b = {bias.data(), bias.size()};
        const double once = b[m.index(names.bias_column, o)];
        sum = m.pick<double>("layer bias", names.bias, once,
                             {{"missing", 0},
                              {"once a head",
                               once * static_cast<double>(heads)},
                              {"subtracted", -once},
                              {"for token 0 only", t == 0 ? once : 0}});
      }
      for (Index c = m.first(names.first); c < m.end(names.end, x.cols());
           ++c) {
        const Index row = m.index(names.row, c);
        const Index column = m.index(names.column, o);
        const Index place = m.pick<Index>(
            "projection", names.transposed, row * w.cols() + column,
            {{"transposed", column * w.rows() + row}});
        sum += x(t, c) * reading(w)[place];
      }
      y(t, o) = sum;
    }
  return y;
}

Numbers mixed(const Numbers& heads, const mha::LayerCall& call,
              const Mutator& m) {
  const Numbers& w = call.weights.w_o;
  const Bias& bias = call.weights.b_o;
  const Index h_count = call.n_heads, d = heads.cols() / h_count;
  Numbers y(heads.rows(), w.cols());
  for (Index t = 0; t < y.rows(); ++t)
    for (Index o = 0; o < y.cols(); ++o) {
      double sum = 0;
      for (Index h = m.first("w_o, heads, first");
           h < m.end("w_o, heads, end", h_count); ++h)
        for (Index c = m.first("w_o, columns, first");
             c < m.end("w_o, columns, end", d); ++c) {
          const Index row = m.pick<Index>(
              "projection", "w_o, row", h * d + c,
              {{"heads interleaved", c * h_count + h},
               {"heads backwards", (h_count - 1 - h) * d + c},
               {"plus 1", h * d + c + 1}});
          const Index place = m.pick<Index>(
              "projection", "w_o", row * w.cols() + o,
              {{"transposed", o * w.rows() + row},
               {"not used", row == o ? -1 : -2}});
          const double weight = place >= 0 ? reading(w)[place]
                                           : place == -1 ? 1 : 0;
          sum += heads(t, h * d + c) * weight;
        }
      if (bias.size() > 0) {
        const Wrapped<const double> b = {bias.data(), bias.size()};
        const double once = b[m.index("b_o, column", o)];
        sum += m.pick<double>("layer bias", "b_o", once,
                              {{"missing", 0},
                               {"once a head",
                                once * static_cast<double>(h_count)},
                               {"subtracted", -once}});
      }
      y(t, o) = sum;
    }
  return y;
}

}  // namespace

Numbers plain_layer(const mha::LayerCall& call, const Mutator& m) {
  const mha::LayerWeights<double>& w = call.weights;
  const bool divides = w.w_q.cols() % call.n_heads == 0;
  if (m.flag("refusal", "uneven heads", "let through")) {
    if (!divides) return Numbers::Zero(call.x.rows(), w.w_o.cols());
  } else if (!divides) {
    throw std::invalid_argument("the heads do not divide the width");
  }
  const Numbers& memory = call.memory.size() == 0 ? call.x : call.memory;
  mha::AttentionCall inside;
  inside.q = projected(call.x, w.w_q, w.b_q, call.n_heads, of_q, m);
  inside.k = projected(memory, w.w_k, w.b_k, call.n_heads, of_k, m);
  inside.v = projected(memory, w.w_v, w.b_v, call.n_heads, of_v, m);
  if (m.flag("projection", "values", "are the keys")) inside.v = inside.k;
  inside.batch = inside.kv_batch = call.batch;
  inside.n_heads = call.n_heads;
  inside.n_kv_heads = call.n_kv_heads;
  inside.options = call.options;
  inside.padding = call.padding;
  return mixed(plain_attention(inside, Mutator(Mutant{})).output, call, m);
}

}  // namespace mutants
