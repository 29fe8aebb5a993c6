// Chapter 9: a trained encoder, on the attention of chapters 1 to 3.
#pragma once

#include "model_files.hpp"
#include "pieces.hpp"

#include "mha/layer.hpp"

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace trained {

// [encoder layer]
using mha::Matrix;
using mha::RowVector;

// What makes the numbers of a token average 0 and spread 1, times `scale`,
// plus `bias`.
template <typename Scalar>
struct Norm {
  RowVector<Scalar> scale, bias;
};

template <typename Scalar>
struct EncoderLayer {
  Norm<Scalar> before_attention;              // d_in wide
  mha::MultiHeadAttention<Scalar> attention;  // d_in to d_model
  Matrix<Scalar> w_wide;                      // (d_in, d_model), or empty
  RowVector<Scalar> b_wide;                   // where d_in is not d_model
  Norm<Scalar> before_inner;                  // d_model wide
  Matrix<Scalar> w_in, w_out;  // (d_model, d_inner) and (d_inner, d_model)
  RowVector<Scalar> b_in, b_out;
};
// [encoder layer]

// [encoder]
template <typename Scalar>
struct Encoder {
  Matrix<Scalar> embeddings;      // (pieces, d_in), a row a piece
  RowVector<Scalar> frequencies;  // d_in / 2 of them, for positions
  std::vector<EncoderLayer<Scalar>> layers;
  Matrix<Scalar> w_end;  // (d_model, d_model)
  RowVector<Scalar> b_end;
  Index most_pieces = 0;  // the model cuts longer texts off

  template <typename Other>
  Encoder<Other> cast() const;
};

Encoder<float> read_encoder(const ModelFiles& files);
// [encoder]

// [reading]
// What reading one text leaves behind.
template <typename Scalar>
struct LayerReading {
  Matrix<Scalar> x;        // (T, d_in): what came in
  Matrix<Scalar> normed;   // (T, d_in): what attention read
  mha::LayerResult<Scalar> result;
};

template <typename Scalar>
struct Reading {
  std::vector<LayerReading<Scalar>> layers;
  RowVector<Scalar> embedding;  // (d_model), of length 1
};

// x: (T, d_in), rows for the pieces.
template <typename Scalar>
Reading<Scalar> read_rows(const Encoder<Scalar>& encoder, Matrix<Scalar> x);

template <typename Scalar>
Reading<Scalar> read_text(const Encoder<Scalar>& encoder,
                          const std::vector<Index>& ids);
// [reading]

// [steps]
template <typename Scalar>
Matrix<Scalar> normalised(const Matrix<Scalar>& x, const Norm<Scalar>& norm);

// Rows for the pieces, and for where they stand.
template <typename Scalar>
Matrix<Scalar> enter(const Encoder<Scalar>& encoder,
                     const std::vector<Index>& ids);

// One row for the whole text, of length 1. x: (T, d_model).
template <typename Scalar>
RowVector<Scalar> leave(const Encoder<Scalar>& encoder,
                        const Matrix<Scalar>& x);
// [steps]

// [model]
struct Model {
  Vocabulary vocabulary;
  Encoder<float> encoder;
};

// Where set-up puts it.
std::filesystem::path model_folder();
Model load_model(const std::filesystem::path& folder);

// The pieces of a text, refused when it is empty, too long or no UTF-8.
std::vector<Index> pieces_of(const Model& model, std::string_view text);
// [model]

}  // namespace trained
