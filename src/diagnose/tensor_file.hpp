/// \file tensor_file.hpp
/// Reads and writes the files in which tensors travel: safetensors, NumPy's
/// .npy and .npz, and folders of .npy files.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

/// What `./mha diagnose` is made of.
namespace diagnose {

/// How a number is stored in a file.
enum class NumberType {
  float16,
  bfloat16,
  float32,
  float64,
  int8,
  int16,
  int32,
  int64,
  uint8,
  uint16,
  uint32,
  uint64,
  boolean
};

/// The type's name as PyTorch and NumPy say it, such as "float32"; "bool" for
/// NumberType::boolean.
/// \param type  any of them
std::string_view name(NumberType type);

/// What a file says of a tensor before any number is read.
struct TensorInfo {
  std::vector<std::ptrdiff_t> shape;  ///< empty for a single number
  NumberType type = NumberType::float32;
};

/// How many numbers a tensor of that shape has: 1 for an empty shape.
/// \param shape  sizes, none negative, whose product fits 63 bits
std::ptrdiff_t number_count(std::span<const std::ptrdiff_t> shape);

/// A tensor with its numbers.
struct Tensor {
  std::vector<std::ptrdiff_t> shape;  ///< empty for a single number
  NumberType type = NumberType::float32;
  /// Row by row, whatever the order in the file; yes is 1 and no is 0. Exact,
  /// save for whole numbers beyond 2^53, which are rounded to a double.
  std::vector<double> values;
};

/// Says in one line what is wrong with a file and what to do about it.
struct TensorFileProblem : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// As many numbers as are read in all, unless the caller says otherwise: 2 GiB
/// of doubles.
constexpr std::ptrdiff_t usual_number_limit = std::ptrdiff_t{1} << 28;
/// A safetensors header is at most so long, in bytes, as in the reference
/// (github.com/huggingface/safetensors).
constexpr std::uint64_t longest_safetensors_header = 100'000'000;
/// A .npy header is at most so long, in bytes: what numpy.load takes, unless
/// told otherwise (numpy.lib.format).
constexpr std::uint64_t longest_npy_header = 10'000;
/// A tensor has at most so many dimensions, as in NumPy 2.
constexpr std::size_t most_dimensions = 64;
/// A file or folder has at most so many tensors.
constexpr std::size_t most_tensors = 100'000;

/// Tensors of one file, or of several: what they are called and how large they
/// are is known; their numbers are read when asked for.
class TensorFile {
 public:
  /// Every tensor by its name.
  const std::map<std::string, TensorInfo>& tensors() const { return tensors_; }

  /// The text that a safetensors file carries under `__metadata__`; empty for
  /// the other formats.
  const std::map<std::string, std::string>& metadata() const {
    return metadata_;
  }

  /// Loads one tensor, and counts its numbers towards the limit.
  /// \param name  one of tensors()
  /// \returns the tensor, its values row by row
  /// \throws TensorFileProblem if there is no such tensor, the limit is passed
  ///         or the file does not hold what its header said
  Tensor read(const std::string& name);

 private:
  friend struct TensorFileMaker;
  TensorFile() = default;

  std::string label_;
  std::map<std::string, TensorInfo> tensors_;
  std::map<std::string, std::string> metadata_;
  std::map<std::string, std::function<std::vector<double>()>> loaders_;
  std::ptrdiff_t numbers_left_ = 0;
};

/// Reads what the tensors are called and how large they are. Formats are told
/// by their first bytes.
///
/// A tensor of a .npy file is called as the file, without the ending. Where two
/// files are called alike, the folder goes before both: "mine/q", "theirs/q".
/// \param paths        one .safetensors file, one .npz file, one folder of .npy
///                     files, or any number of .npy files
/// \param most_numbers how many numbers may be read in all
/// \throws TensorFileProblem with one line that names the file
TensorFile open_tensor_files(const std::vector<std::filesystem::path>& paths,
                             std::ptrdiff_t most_numbers = usual_number_limit);

/// The same for a file that is in memory.
/// \param bytes        the whole file; has to outlive the TensorFile
/// \param label        what messages call it
/// \param most_numbers how many numbers may be read in all
/// \throws TensorFileProblem with one line that begins with the label
TensorFile open_tensor_bytes(std::span<const std::byte> bytes,
                             const std::string& label,
                             std::ptrdiff_t most_numbers = usual_number_limit);

/// Writes a safetensors file, beside `path` first and then in one step in its
/// place. Floating-point types round to the nearest, ties to even.
/// \param path      what to write; what was there is replaced
/// \param tensors   by name
/// \param metadata  text to go with them
/// \throws TensorFileProblem if a tensor's values do not fit its shape or type,
///         or the file cannot be written
void write_safetensors(const std::filesystem::path& path,
                       const std::map<std::string, Tensor>& tensors,
                       const std::map<std::string, std::string>& metadata = {});

/// Writes a .npy file, in the same way. NumPy has no bfloat16.
/// \param path    what to write; what was there is replaced
/// \param tensor  what to put there
/// \throws TensorFileProblem as write_safetensors, and for bfloat16
void write_npy(const std::filesystem::path& path, const Tensor& tensor);

/// Writes a .npz file as numpy.savez does, not compressed, in the same way.
/// \param path     what to write; what was there is replaced
/// \param tensors  by name
/// \throws TensorFileProblem as write_safetensors, and for bfloat16
void write_npz(const std::filesystem::path& path,
               const std::map<std::string, Tensor>& tensors);

}  // namespace diagnose
