// Tensor files put together byte by byte, right ones and wrong ones.
#pragma once

#include "diagnose/tensor_file.hpp"

#include <fmt/format.h>

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <span>
#include <string>
#include <string_view>

#include <unistd.h>

namespace diagnose {

inline std::string little_endian(std::uint64_t number, int bytes) {
  std::string text;
  for (int i = 0; i < bytes; ++i, number >>= 8) {
    text.push_back(static_cast<char>(number & 0xff));
  }
  return text;
}

inline std::string safetensors(const std::string& header,
                               const std::string& data) {
  return little_endian(header.size(), 8) + header + data;
}

// One entry of a header: "q": {"dtype": ...}.
inline std::string entry(const std::string& name, const std::string& dtype,
                         const std::string& shape, std::uint64_t begin,
                         std::uint64_t end) {
  return fmt::format(
      R"("{}":{{"dtype":"{}","shape":{},"data_offsets":[{},{}]}})", name, dtype,
      shape, begin, end);
}

// A .npy file of format version 1.0, or another.
inline std::string npy(const std::string& dict, const std::string& data,
                       char version = 1) {
  return std::string("\x93NUMPY") + version + '\0' +
         little_endian(dict.size(), version == 1 ? 2 : 4) + dict + data;
}

inline std::string npy_dict(const std::string& descr, const std::string& shape,
                            const std::string& fortran_order = "False") {
  return fmt::format("{{'descr': '{}', 'fortran_order': {}, 'shape': {}, }}\n",
                     descr, fortran_order, shape);
}

inline TensorFile open(const std::string& bytes,
                       std::ptrdiff_t most_numbers = usual_number_limit) {
  return open_tensor_bytes(std::as_bytes(std::span(bytes)), "file",
                           most_numbers);
}

// What is said when everything in the file is read; nothing when all is well.
template <typename Open>
std::string problem_of(Open open_it) {
  try {
    TensorFile file = open_it();
    const auto tensors = file.tensors();
    for (const auto& [name, info] : tensors) file.read(name);
  } catch (const TensorFileProblem& problem) {
    return problem.what();
  }
  return "";
}

inline std::string problem(const std::string& bytes) {
  return problem_of([&] { return open(bytes); });
}

inline std::string problem(const std::vector<std::filesystem::path>& paths) {
  return problem_of([&] { return open_tensor_files(paths); });
}

inline bool contains(const std::string& text, std::string_view part) {
  return text.find(part) != std::string::npos;
}

inline std::string file_text(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

// A folder that is gone afterwards.
class ScratchFolder {
 public:
  ScratchFolder() {
    static int count = 0;
    path_ = std::filesystem::temp_directory_path() /
            fmt::format("tensor files test {} {}", getpid(), ++count);
    std::filesystem::remove_all(path_);
    std::filesystem::create_directories(path_);
  }
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;
  ~ScratchFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }

  std::filesystem::path operator/(const std::string& name) const {
    return path_ / name;
  }

  std::filesystem::path write(const std::string& name,
                              const std::string& text) const {
    const std::filesystem::path file = path_ / name;
    std::filesystem::create_directories(file.parent_path());
    std::ofstream(file, std::ios::binary) << text;
    return file;
  }

 private:
  std::filesystem::path path_;
};

}  // namespace diagnose
