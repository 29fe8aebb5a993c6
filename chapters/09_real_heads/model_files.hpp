// Chapter 9: the files of a trained model, read with suspicion.
#pragma once

#include "model_problem.hpp"

#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace trained {

// [manifest]
struct Tensor {
  std::string type;          // float32, int32 or bool
  std::vector<Index> shape;  // of none: one number
  Index offset = 0;          // where its bytes begin in the stream
  Index bytes = 0;
};

struct Manifest {
  std::vector<std::string> files;         // in the order of the stream
  std::map<std::string, Tensor> tensors;  // by name
  Index bytes = 0;                        // of all tensors together
};

// Reads model.json of TensorFlow.js. The graph in it is skipped.
Manifest read_manifest(std::string_view json);
// [manifest]

// [model files]
// The manifest and the bytes that it describes.
class ModelFiles {
 public:
  ModelFiles(Manifest manifest, std::string bytes);

  // A float32 tensor of this shape as a matrix. Dimensions of size 1 at the
  // front do not count; `columns` numbers a row, as many rows as there are.
  mha::Matrix<float> matrix(const std::string& name, Index rows,
                            Index columns) const;
  // The same, of as many rows as the manifest says.
  mha::Matrix<float> rows_of(const std::string& name, Index columns) const;
  // An int32 of no dimension.
  Index number(const std::string& name) const;

 private:
  const Tensor& tensor(const std::string& name, const char* type) const;

  Manifest manifest_;
  std::string bytes_;
};

ModelFiles read_model_files(const std::filesystem::path& folder);

// At most `most` bytes of a file; more are refused.
std::string read_file(const std::filesystem::path& path, Index most);
// [model files]

}  // namespace trained
