#include "model_files.hpp"

#include "mha/program.hpp"

#include <nlohmann/json.hpp>

#include <cstdint>
#include <cstring>
#include <fstream>
#include <set>

namespace trained {

namespace {

// [limits]
using nlohmann::json;

constexpr Index most_weights = 64 << 20;  // bytes
constexpr Index most_tensors = 4096, most_files = 64, most_dimensions = 8;
// [limits]

// [fields]
// A list, a text or a whole number of an object, or one line that says which
// is missing.
const json& field(const json& object, const char* name, json::value_t type) {
  const auto found = object.is_object() ? object.find(name) : object.end();
  refuse_unless(found != object.end(),
                "model.json: something has no \"{}\"; fetch the model again",
                name);
  refuse_unless(found->type() == type,
                "model.json: \"{}\" is of the wrong kind; fetch the model "
                "again", name);
  return *found;
}

std::string text_of(const json& value) {
  refuse_unless(value.is_string(), "model.json: a name is not a text; fetch "
                                   "the model again");
  return value.get<std::string>();
}

Index size_of(const json& value, const std::string& name) {
  refuse_unless(value.is_number_unsigned() &&
                    value.get<std::uint64_t>() <= most_weights,
                "model.json: a size of {} is not a whole number up to {}",
                shown(name), most_weights);
  return static_cast<Index>(value.get<std::uint64_t>());
}
// [fields]

// [one tensor]
// How many bytes so many numbers take, refused beyond what a model may have.
Tensor read_tensor(const json& entry, const std::string& name, Index offset) {
  Tensor tensor;
  tensor.type = text_of(field(entry, "dtype", json::value_t::string));
  refuse_unless(tensor.type == "float32" || tensor.type == "int32" ||
                    tensor.type == "bool",
                "model.json: {} has numbers of type {}, which are not known "
                "here", shown(name), shown(tensor.type));
  refuse_unless(!entry.contains("quantization"),
                "model.json: {} is quantized; use the model whose numbers are "
                "not", shown(name));
  const json& shape = field(entry, "shape", json::value_t::array);
  refuse_unless(std::ssize(shape) <= most_dimensions,
                "model.json: {} has {} dimensions, more than {}", shown(name),
                shape.size(), most_dimensions);
  tensor.bytes = tensor.type == "bool" ? 1 : 4;
  for (const json& size : shape) {
    tensor.shape.push_back(size_of(size, name));
    tensor.bytes *= tensor.shape.back();
    refuse_unless(tensor.bytes <= most_weights,
                  "model.json: {} has more than {} bytes", shown(name),
                  most_weights);
  }
  tensor.offset = offset;
  return tensor;
}
// [one tensor]

// [file names]
// A file beside model.json, and not one somewhere else.
std::string file_name(const json& value) {
  std::string name = text_of(value);
  const bool plain =
      !name.empty() && name.size() <= 100 && name[0] != '.' &&
      name.find_first_not_of("abcdefghijklmnopqrstuvwxyz"
                             "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-") ==
          std::string::npos;
  refuse_unless(plain, "model.json: \"{}\" is no plain name of a file; fetch "
                       "the model again", shown(name));
  return name;
}
// [file names]

}  // namespace

// [read manifest]
Manifest read_manifest(std::string_view text) {
  const json whole = parse_json(text, "model.json");
  const json& groups = field(whole, "weightsManifest", json::value_t::array);
  refuse_unless(groups.size() == 1,
                "model.json has {} groups of weights, but 1 is read here",
                groups.size());
  Manifest manifest;
  const json& paths = field(groups[0], "paths", json::value_t::array);
  const json& weights = field(groups[0], "weights", json::value_t::array);
  refuse_unless(std::ssize(paths) <= most_files &&
                    std::ssize(weights) <= most_tensors,
                "model.json names {} files and {} tensors, more than {} and {}",
                paths.size(), weights.size(), most_files, most_tensors);
  for (const json& path : paths) manifest.files.push_back(file_name(path));
  refuse_unless(std::set<std::string>(manifest.files.begin(),
                                      manifest.files.end()).size() ==
                    manifest.files.size(),
                "model.json names a file twice; fetch the model again");
  for (const json& entry : weights) {
    const std::string name =
        text_of(field(entry, "name", json::value_t::string));
    const Tensor tensor = read_tensor(entry, name, manifest.bytes);
    refuse_unless(manifest.tensors.emplace(name, tensor).second,
                  "model.json names {} twice; fetch the model again",
                  shown(name));
    manifest.bytes += tensor.bytes;
    refuse_unless(manifest.bytes <= most_weights,
                  "model.json has more than {} bytes of weights",
                  most_weights);
  }
  return manifest;
}
// [read manifest]

// [the bytes]
ModelFiles::ModelFiles(Manifest manifest, std::string bytes)
    : manifest_(std::move(manifest)), bytes_(std::move(bytes)) {
  refuse_unless(std::ssize(bytes_) == manifest_.bytes,
                "the weights have {} bytes, but model.json describes {}; fetch "
                "the model again", bytes_.size(), manifest_.bytes);
}

const Tensor& ModelFiles::tensor(const std::string& name,
                                 const char* type) const {
  const auto found = manifest_.tensors.find(name);
  refuse_unless(found != manifest_.tensors.end(),
                "the model has no {}; it is not the one this chapter reads",
                shown(name));
  refuse_unless(found->second.type == type, "{} is of type {}, not {}",
                shown(name), found->second.type, type);
  return found->second;
}
// [the bytes]

// [as a matrix]
mha::Matrix<float> ModelFiles::rows_of(const std::string& name,
                                       Index columns) const {
  static_assert(sizeof(float) == 4);
  const Tensor& found = tensor(name, "float32");
  refuse_unless(!found.shape.empty() && found.shape.back() == columns &&
                    found.bytes > 0,
                "{} does not have {} columns", shown(name), columns);
  mha::Matrix<float> matrix(found.bytes / 4 / columns, columns);
  std::memcpy(matrix.data(), bytes_.data() + found.offset,
              static_cast<std::size_t>(found.bytes));
  refuse_unless(matrix.allFinite(),
                "{} holds numbers that are not finite; fetch the model again",
                shown(name));
  return matrix;
}

mha::Matrix<float> ModelFiles::matrix(const std::string& name, Index rows,
                                      Index columns) const {
  mha::Matrix<float> matrix = rows_of(name, columns);
  refuse_unless(matrix.rows() == rows, "{} is {} x {}, but {} x {} is needed",
                shown(name), matrix.rows(), columns, rows, columns);
  return matrix;
}

Index ModelFiles::number(const std::string& name) const {
  const Tensor& found = tensor(name, "int32");
  refuse_unless(found.bytes == 4, "{} is not one number", shown(name));
  std::int32_t value = 0;
  std::memcpy(&value, bytes_.data() + found.offset, 4);
  return value;
}
// [as a matrix]

// [read file]
std::string read_file(const std::filesystem::path& path, Index most) {
  const std::string name = path.filename().string();
  std::error_code error;
  if (!is_regular_file(path, error)) {
    throw mha::NotFetched(fmt::format(
        "the trained model is not here (no {}); ./mha setup fetches it, and so "
        "does npm ci in chapters/09_real_heads/model", path.string()));
  }
  const std::uintmax_t size = file_size(path, error);
  refuse_unless(!error && size <= static_cast<std::uintmax_t>(most),
                "{} is larger than {} bytes; fetch the model again", name,
                most);
  std::string bytes(static_cast<std::size_t>(size), '\0');
  std::ifstream file(path, std::ios::binary);
  file.read(bytes.data(), static_cast<std::streamsize>(size));
  refuse_unless(file.gcount() == static_cast<std::streamsize>(size),
                "{} cannot be read to its end", name);
  return bytes;
}

ModelFiles read_model_files(const std::filesystem::path& folder) {
  Manifest manifest = read_manifest(read_file(folder / "model.json",
                                              most_json));
  std::string bytes;
  for (const std::string& file : manifest.files) {
    bytes += read_file(folder / file, most_weights - std::ssize(bytes));
  }
  return ModelFiles(std::move(manifest), std::move(bytes));
}
// [read file]

}  // namespace trained
