#include "trained_circuits.hpp"

#include "head_pooling.hpp"
#include "marked_sentences.hpp"
#include "relation_counts.hpp"

#include "mha/grouped_attention.hpp"
#include "mha/measure.hpp"
#include "mha/program.hpp"

#include <Eigen/QR>
#include <Eigen/SVD>

namespace trained {

// [circuit spectrum]
// A circuit is a product of two thin matrices, a b^T. With a = p r and
// b = q s, p and q of orthonormal columns, it has the singular values of the
// small matrix r s^T.
std::vector<double> circuit_spectrum(const mha::LayerWeights<double>& w,
                                     Index n_heads_of_layer, Index h,
                                     Circuit circuit) {
  const Index d_head = w.w_q.cols() / n_heads_of_layer;
  using Thin = Eigen::MatrixXd;
  const Thin a = mha::head_of(circuit == Circuit::qk ? w.w_q : w.w_v, h,
                              d_head);
  const Thin b = circuit == Circuit::qk
                     ? Thin(mha::head_of(w.w_k, h, d_head))
                     : Thin(w.w_o.middleRows(h * d_head, d_head).transpose());
  const auto triangle = [&](const Thin& thin) -> Thin {
    return Eigen::HouseholderQR<Thin>(thin)
        .matrixQR().topRows(d_head).triangularView<Eigen::Upper>();
  };
  const Eigen::BDCSVD<Thin> svd(triangle(a) * triangle(b).transpose());
  return {svd.singularValues().begin(), svd.singularValues().end()};
}

double stable_rank(const std::vector<double>& singular) {
  double sum = 0;
  for (const double s : singular) sum += s * s;
  return sum / (singular.front() * singular.front());
}
// [circuit spectrum]

namespace {

// [pool a layer]
// Keys and values of fewer heads, each copied for the heads that share it, so
// that the layer keeps its shape. Chapter 6 has the pooling.
mha::MultiHeadAttention<float> with_pooled_heads(
    const mha::MultiHeadAttention<float>& layer, Index n_kv_heads,
    Kept kept) {
  const Index n = layer.n_heads();
  const auto how = kept == Kept::mean    ? pooling::Pooling::mean
                   : kept == Kept::first ? pooling::Pooling::first
                                         : pooling::Pooling::random;
  mha::LayerWeights<float> w =
      pooling::pooled(layer.weights(), n, n_kv_heads, how);
  const auto repeat = [&](const mha::Matrix<float>& few) {
    return mha::repeat_heads(few, n, n_kv_heads);
  };
  w.w_k = repeat(w.w_k), w.w_v = repeat(w.w_v);
  w.b_k = repeat(w.b_k), w.b_v = repeat(w.b_v);
  return {std::move(w), n};
}
// [pool a layer]

}  // namespace

// [pooled error]
PooledError pooled_error(const Encoder<float>& encoder,
                         const std::vector<std::vector<Index>>& texts,
                         Index n_kv_heads, Kept kept) {
  const ManyTexts whole(encoder, texts);
  Encoder<float> changed = encoder;
  PooledError error{};
  for (std::size_t layer = 0; layer < 2; ++layer) {
    Encoder<float> one = encoder;
    changed.layers[layer].attention = one.layers[layer].attention =
        with_pooled_heads(encoder.layers[layer].attention, n_kv_heads, kept);
    const Matrix<float> right = whole.written(static_cast<Index>(layer));
    const Matrix<float> got =
        ManyTexts(one, texts).written(static_cast<Index>(layer));
    error.output[layer] =
        static_cast<double>((got - right).norm() / right.norm());
  }
  error.loss = 1 - whole.embeddings(all_open())
                       .cwiseProduct(ManyTexts(changed, texts).embeddings(
                           all_open()))
                       .cast<double>().sum() /
                   static_cast<double>(whole.size());
  return error;
}
// [pooled error]

// [printing circuits]
void print_written(const Model& model) {
  mha::heading("What each head wrote, for this sentence");
  fmt::print("head  norm / output's   share of the output\n");
  const Reading<double> reading = read_text(
      model.encoder.cast<double>(), pieces_of(model, lesson));
  for (Index layer = 0; layer < 2; ++layer) {
    const auto at = static_cast<std::size_t>(layer);
    const auto attention = model.encoder.layers[at].attention;
    const mha::MultiHeadAttention<double> exact(
        attention.weights().cast<double>(), attention.n_heads());
    const mha::LayerResult<double>& result = reading.layers[at].result;
    for (Index h = 0; h < n_heads; ++h) {
      const Matrix<double> part = written_by(result, exact, h);
      fmt::print("{:<5} {:13.0f} % {:19.2f}\n",
                 head_name(layer * n_heads + h),
                 100 * part.norm() / result.output.norm(),
                 part.cwiseProduct(result.output).sum() /
                     result.output.squaredNorm());
    }
  }
}

void print_circuits(const Model& model) {
  mha::heading("How many directions a circuit uses");
  fmt::print("      QK: largest  smallest  stable rank   "
             "OV: largest  smallest  stable rank\n");
  const auto line = [](const std::string& name,
                       const mha::LayerWeights<double>& w, Index h) {
    fmt::print("{:<5}", name);
    for (const Circuit circuit : {Circuit::qk, Circuit::ov}) {
      const std::vector<double> s = circuit_spectrum(w, n_heads, h, circuit);
      fmt::print(" {:11.2f} {:9.4f} {:12.1f}  ", s.front(), s.back(),
                 stable_rank(s));
    }
    fmt::print("\n");
  };
  for (std::size_t layer = 0; layer < 2; ++layer) {
    const auto w =
        model.encoder.layers[layer].attention.weights().cast<double>();
    for (Index h = 0; h < n_heads; ++h) {
      line(head_name(static_cast<Index>(layer) * n_heads + h), w, h);
    }
  }
  mha::TorchGenerator generator(9);
  for (const Index width : {256, 512}) {
    line(fmt::format("({})", width / n_heads),
         mha::torch_layer_weights(generator, width).cast<double>(), 0);
  }
}

void print_pooled(const Model& model) {
  mha::heading("Four key/value heads made fewer");
  fmt::print("            error of layer 0   error of layer 1   loss of the "
             "embedding\n");
  const std::vector<std::vector<Index>> texts = marked_texts(model);
  for (const Index n_kv_heads : {2, 1}) {
    for (const auto& [name, kept] :
         {std::pair{"mean", Kept::mean}, std::pair{"first", Kept::first},
          std::pair{"random", Kept::random}}) {
      const PooledError error =
          pooled_error(model.encoder, texts, n_kv_heads, kept);
      fmt::print("{}  {:<8} {:16.2f} {:18.2f} {:19.3f}\n", n_kv_heads, name,
                 error.output[0], error.output[1], error.loss);
    }
  }
}
// [printing circuits]

}  // namespace trained
