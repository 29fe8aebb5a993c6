#include "encoder.hpp"

#include "model_problem.hpp"

#include "mha/program.hpp"

#include <cmath>

namespace trained {

// [normalised]
template <typename Scalar>
Matrix<Scalar> normalised(const Matrix<Scalar>& x, const Norm<Scalar>& norm) {
  constexpr Scalar epsilon = static_cast<Scalar>(1e-6);
  Matrix<Scalar> y(x.rows(), x.cols());
  for (Index t = 0; t < x.rows(); ++t) {
    const RowVector<Scalar> centred = x.row(t).array() - x.row(t).mean();
    const Scalar variance =
        centred.squaredNorm() / static_cast<Scalar>(x.cols());
    y.row(t) = (centred / std::sqrt(variance + epsilon))
                   .cwiseProduct(norm.scale) + norm.bias;
  }
  return y;
}
// [normalised]

// [enter]
template <typename Scalar>
Matrix<Scalar> enter(const Encoder<Scalar>& encoder,
                     const std::vector<Index>& ids) {
  const Index tokens = std::ssize(ids), half = encoder.frequencies.size();
  Matrix<Scalar> x(tokens, encoder.embeddings.cols());
  for (Index t = 0; t < tokens; ++t) {
    x.row(t) =
        2 * encoder.embeddings.row(ids[static_cast<std::size_t>(t)]);
    const RowVector<Scalar> angles =
        static_cast<Scalar>(t) * encoder.frequencies;
    x.row(t).head(half).array() += angles.array().sin();
    x.row(t).tail(half).array() += angles.array().cos();
  }
  return x;
}
// [enter]

// [leave]
template <typename Scalar>
RowVector<Scalar> leave(const Encoder<Scalar>& encoder,
                        const Matrix<Scalar>& x) {
  const RowVector<Scalar> mean = x.colwise().mean();
  RowVector<Scalar> end = mean * encoder.w_end + encoder.b_end;
  end = end.array().tanh();
  return end / end.norm();
}
// [leave]

namespace {

// [inner]
// What a token makes of itself: wider, no number below 0, narrower again.
template <typename Scalar>
Matrix<Scalar> inner(const EncoderLayer<Scalar>& layer,
                     const Matrix<Scalar>& x) {
  const Matrix<Scalar> wide =
      mha::project(normalised(x, layer.before_inner), layer.w_in, layer.b_in,
                   "x").cwiseMax(Scalar{0});
  return mha::project(wide, layer.w_out, layer.b_out, "the inner row");
}
// [inner]

}  // namespace

// [read text]
template <typename Scalar>
Reading<Scalar> read_rows(const Encoder<Scalar>& encoder, Matrix<Scalar> x) {
  Reading<Scalar> reading;
  for (const EncoderLayer<Scalar>& layer : encoder.layers) {
    const Matrix<Scalar> normed = normalised(x, layer.before_attention);
    mha::LayerResult<Scalar> result = layer.attention.forward(normed);
    const Matrix<Scalar> stream =
        layer.w_wide.size() == 0
            ? x : mha::project(x, layer.w_wide, layer.b_wide, "x");
    const Matrix<Scalar> between = stream + result.output;
    reading.layers.push_back({x, normed, std::move(result)});
    x = between + inner(layer, between);
  }
  reading.embedding = leave(encoder, x);
  return reading;
}

template <typename Scalar>
Reading<Scalar> read_text(const Encoder<Scalar>& encoder,
                          const std::vector<Index>& ids) {
  return read_rows(encoder, enter(encoder, ids));
}
// [read text]

namespace {

// [names]
const std::string apply = "module_apply_default/Encoder_en/";
const std::string own = "module/Encoder_en/";

std::string layer_name(const std::string& head, const char* stack, Index layer,
                       const std::string& tail) {
  return fmt::format("{}KonaTransformer/Encode/{}Layer_{}/TransformerLayer/{}",
                     head, stack, layer, tail);
}

std::string named(Index layer, const std::string& tail) {
  return layer_name(apply, "", layer, tail + "/ConcatPartitions/concat");
}
// [names]

// [read norm]
RowVector<float> row(const ModelFiles& files, const std::string& name,
                     Index size) {
  return files.matrix(name, 1, size);
}

Norm<float> read_norm(const ModelFiles& files, Index layer,
                      const std::string& where, Index width) {
  const std::string start =
      where + "layer_prepostprocess/layer_norm/layer_norm_";
  return {row(files, named(layer, start + "scale"), width),
          row(files, named(layer, start + "bias"), width)};
}
// [read norm]

// [read attention]
// Queries, keys and values lie side by side in one matrix.
mha::MultiHeadAttention<float> read_attention(const ModelFiles& files,
                                              Index layer, Index width,
                                              Index d_model, Index n_heads) {
  const std::string where = "MultiheadAttention/";
  const auto kernel = [&](const char* which, Index columns) {
    return files.matrix(
        layer_name(own, "", layer,
                   fmt::format("{}{}_transform_single/kernel/part_0", where,
                               which)), width, columns);
  };
  const Matrix<float> qkv = kernel("qkv", 3 * width);
  const RowVector<float> b = row(
      files, named(layer, where + "qkv_transform_single/bias"), 3 * width);
  const auto part = [&](const auto& all, Index i) {
    return all.middleCols(i * width, width).eval();
  };
  return {{part(qkv, 0), part(qkv, 1), part(qkv, 2),
           kernel("output", d_model), part(b, 0), part(b, 1), part(b, 2),
           row(files, named(layer, where + "output_transform_single/bias"),
               d_model)},
          n_heads};
}
// [read attention]

// [read layer]
EncoderLayer<float> read_layer(const ModelFiles& files, Index layer,
                               Index width, Index d_model, Index d_inner,
                               Index n_heads) {
  const auto inner_matrix = [&](const char* which, Index rows,
                                Index columns) {
    return files.matrix(layer_name(apply, "TransformerStack/", layer,
                                   fmt::format("FFN/{}/Tensordot/Reshape_1",
                                               which)), rows, columns);
  };
  EncoderLayer<float> read{
      read_norm(files, layer, "", width),
      read_attention(files, layer, width, d_model, n_heads),
      {}, {},
      read_norm(files, layer, "FFN/", d_model),
      inner_matrix("conv1", d_model, d_inner),
      inner_matrix("conv2", d_inner, d_model),
      row(files, named(layer, "FFN/conv1/bias"), d_inner),
      row(files, named(layer, "FFN/conv2/bias"), d_model)};
  if (width != d_model) {
    read.w_wide = files.matrix(named(layer, "dense/kernel"), width, d_model);
    read.b_wide = row(files, named(layer, "dense/bias"), d_model);
  }
  return read;
}
// [read layer]

}  // namespace

// [read encoder]
Encoder<float> read_encoder(const ModelFiles& files) {
  constexpr Index first = 256, d_model = 512, d_inner = 1536;
  const std::string stack = apply + "KonaTransformer/Encode/TransformerStack/";
  const Index n_heads = files.number(
      stack + "Layer_1/TransformerLayer/MultiheadAttention/split_heads/"
              "split_last_dimension/Reshape/shape/2");
  refuse_unless(n_heads >= 1 && n_heads <= 64 && first % n_heads == 0,
                "the model says it has {} heads, which do not divide {}; fetch "
                "it again", n_heads, first);
  Encoder<float> encoder;
  encoder.embeddings = files.rows_of("module/Embeddings_en", first);
  encoder.frequencies = row(
      files, stack + "Layer_0/AddTimingSignal/TimingSignal/ExpandDims_1",
      first / 2);
  for (Index layer = 0; layer < 2; ++layer) {
    encoder.layers.push_back(read_layer(files, layer,
                                        layer == 0 ? first : d_model, d_model,
                                        d_inner, n_heads));
  }
  const std::string end = own + "hidden_layers/tanh_layer_0/";
  encoder.w_end = files.matrix(end + "weights", d_model, d_model);
  encoder.b_end = row(files, end + "bias", d_model);
  encoder.most_pieces =
      files.number(apply + "KonaTransformer/ClipToMaxLength/Less/y");
  refuse_unless(encoder.most_pieces >= 1 && encoder.most_pieces <= 4096,
                "the model says it takes {} pieces; fetch it again",
                encoder.most_pieces);
  return encoder;
}
// [read encoder]

// [cast]
template <typename Scalar>
template <typename Other>
Encoder<Other> Encoder<Scalar>::cast() const {
  const auto matrix = [](const Matrix<Scalar>& m) -> Matrix<Other> {
    return m.template cast<Other>();
  };
  const auto vector = [](const RowVector<Scalar>& v) -> RowVector<Other> {
    return v.template cast<Other>();
  };
  const auto norm = [&](const Norm<Scalar>& n) -> Norm<Other> {
    return {vector(n.scale), vector(n.bias)};
  };
  Encoder<Other> to{matrix(embeddings), vector(frequencies), {},
                    matrix(w_end),      vector(b_end),       most_pieces};
  for (const EncoderLayer<Scalar>& layer : layers) {
    to.layers.push_back(
        {norm(layer.before_attention),
         {layer.attention.weights().template cast<Other>(),
          layer.attention.n_heads()},
         matrix(layer.w_wide), vector(layer.b_wide), norm(layer.before_inner),
         matrix(layer.w_in), matrix(layer.w_out), vector(layer.b_in),
         vector(layer.b_out)});
  }
  return to;
}
// [cast]

// [both precisions]
template struct Encoder<float>;
template Encoder<double> Encoder<float>::cast() const;
template Matrix<float> normalised(const Matrix<float>&, const Norm<float>&);
template Matrix<float> enter(const Encoder<float>&, const std::vector<Index>&);
template RowVector<float> leave(const Encoder<float>&, const Matrix<float>&);
template Reading<float> read_rows(const Encoder<float>&, Matrix<float>);
template Reading<float> read_text(const Encoder<float>&,
                                  const std::vector<Index>&);
template Reading<double> read_text(const Encoder<double>&,
                                   const std::vector<Index>&);
// [both precisions]

// [load model]
std::filesystem::path model_folder() { return MHA_MODEL_FOLDER; }

Model load_model(const std::filesystem::path& folder) {
  constexpr Index most = 1 << 20;
  Model model{read_vocabulary(read_file(folder / "vocab.json", most)),
              read_encoder(read_model_files(folder))};
  refuse_unless(model.vocabulary.size() <= model.encoder.embeddings.rows(),
                "vocab.json has {} pieces, but the model knows {}; fetch it "
                "again", model.vocabulary.size(),
                model.encoder.embeddings.rows());
  return model;
}
// [load model]

namespace {

// [valid text]
// Whether the bytes are UTF-8, with no control characters.
bool is_plain_text(std::string_view text) {
  std::size_t i = 0;
  while (i < text.size()) {
    const auto first = static_cast<unsigned char>(text[i]);
    if (first < 0x20 || first == 0x7f) return false;
    const std::size_t more = first < 0x80                    ? 0
                             : first >= 0xc2 && first < 0xe0 ? 1
                             : first >= 0xe0 && first < 0xf0 ? 2
                             : first >= 0xf0 && first < 0xf5 ? 3
                                                             : 9;
    if (more == 9 || i + more >= text.size()) return false;
    for (std::size_t k = 1; k <= more; ++k) {
      const auto next = static_cast<unsigned char>(text[i + k]);
      if ((next & 0xc0) != 0x80) return false;
    }
    i += more + 1;
  }
  return true;
}
// [valid text]

}  // namespace

// [pieces of]
std::vector<Index> pieces_of(const Model& model, std::string_view text) {
  constexpr Index most_bytes = 10'000;
  mha::require(text.find_first_not_of(' ') != std::string_view::npos,
               "the text is empty; write a sentence behind --text");
  mha::require(std::ssize(text) <= most_bytes,
               "the text has {} bytes; write at most {}", text.size(),
               most_bytes);
  mha::require(is_plain_text(text),
               "the text is not UTF-8 on one line; write it without line "
               "breaks, in a terminal set to UTF-8");
  std::vector<Index> ids = tokenize(model.vocabulary, text);
  mha::require(std::ssize(ids) <= model.encoder.most_pieces,
               "the text is cut into {} pieces, but the model reads {}; write "
               "a shorter one", ids.size(), model.encoder.most_pieces);
  return ids;
}
// [pieces of]

}  // namespace trained
