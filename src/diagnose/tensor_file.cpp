#include "diagnose/tensor_file.hpp"

#include "diagnose/byte_source.hpp"
#include "diagnose/file_kind.hpp"
#include "diagnose/npy_file.hpp"
#include "diagnose/npz_file.hpp"
#include "diagnose/safetensors_file.hpp"
#include "diagnose/tensor_names.hpp"
#include "diagnose/tensor_problem.hpp"
#include "diagnose/tensor_source.hpp"

#include <algorithm>
#include <utility>

namespace diagnose {

// Makes what others may only read.
struct TensorFileMaker {
  static TensorFile make(std::string label, FileContents contents,
                         std::ptrdiff_t most_numbers) {
    TensorFile file;
    file.label_ = std::move(label);
    file.metadata_ = std::move(contents.metadata);
    file.numbers_left_ = most_numbers;
    for (auto& [tensor, source] : contents.tensors) {
      file.tensors_[tensor] = std::move(source.info);
      file.loaders_[tensor] = std::move(source.load);
    }
    return file;
  }
};

namespace {

namespace fs = std::filesystem;

// A tensor's name where the file has none for it.
constexpr std::string_view only_tensor = "array";

bool is_folder(const fs::path& path) {
  std::error_code refused;
  return fs::is_directory(path, refused);
}

FileContents read_npy_files(const std::vector<fs::path>& paths) {
  FileContents contents;
  const std::vector<std::string> names = tensor_names(paths);
  for (std::size_t i = 0; i < paths.size(); ++i) {
    const std::shared_ptr<ByteSource> source = file_source(paths[i]);
    if (kind_of(*source) != FileKind::npy) {
      fail(source->label(),
           "is no .npy file; give .npy files only, or one .safetensors or "
           ".npz file alone");
    }
    contents.tensors[names[i]] = read_npy(source);
  }
  return contents;
}

std::vector<fs::path> npy_files_in(const fs::path& folder) {
  const std::string label = printable(folder.string());
  std::error_code refused;
  std::vector<fs::path> files;
  fs::directory_iterator entry(folder, refused);
  for (; !refused && entry != fs::directory_iterator();
       entry.increment(refused)) {
    if (entry->path().extension() != ".npy") continue;
    if (files.size() == most_tensors) {
      fail(label, "has more than {} .npy files; leave those that matter",
           most_tensors);
    }
    files.push_back(entry->path());
  }
  if (refused) {
    fail(label, "cannot be listed: {}; see whether it is yours",
         refused.message());
  }
  if (files.empty()) {
    fail(label,
         "is a folder without .npy files; give the one that has them, or a "
         "file");
  }
  std::sort(files.begin(), files.end());
  return files;
}

FileContents read_file(const fs::path& path) {
  const std::shared_ptr<ByteSource> source = file_source(path);
  switch (kind_of(*source)) {
    case FileKind::npy: return read_npy_files({path});
    case FileKind::zip: return read_npz(path);
    case FileKind::safetensors: break;
  }
  return read_safetensors(source);
}

FileContents read_files(const std::vector<fs::path>& paths) {
  if (paths.size() > 1) return read_npy_files(paths);
  if (is_folder(paths.front())) {
    return read_npy_files(npy_files_in(paths.front()));
  }
  return read_file(paths.front());
}

FileContents read_bytes(std::span<const std::byte> bytes,
                        const std::shared_ptr<ByteSource>& source) {
  switch (kind_of(*source)) {
    case FileKind::npy:
      return {{{std::string(only_tensor), read_npy(source)}}, {}};
    case FileKind::zip: return read_npz(bytes, source->label());
    case FileKind::safetensors: break;
  }
  return read_safetensors(source);
}

// The first few names, for whoever asked for another.
std::string some_names(const std::map<std::string, TensorInfo>& tensors) {
  constexpr std::size_t most_shown = 8;
  std::string shown;
  std::size_t count = 0;
  for (const auto& [tensor, info] : tensors) {
    if (count++ == most_shown) return shown + ", ...";
    shown += (shown.empty() ? "" : ", ") + printable(tensor);
  }
  return shown.empty() ? "none" : shown;
}

}  // namespace

TensorFile open_tensor_files(const std::vector<fs::path>& paths,
                             std::ptrdiff_t most_numbers) {
  if (paths.empty()) {
    throw TensorFileProblem(
        "no file is given; give a .safetensors, .npz or .npy file, or a folder "
        "of .npy files");
  }
  const std::string label =
      printable(paths.front().string()) +
      (paths.size() > 1 ? fmt::format(" and {} more", paths.size() - 1) : "");
  return TensorFileMaker::make(label, read_files(paths), most_numbers);
}

TensorFile open_tensor_bytes(std::span<const std::byte> bytes,
                             const std::string& label,
                             std::ptrdiff_t most_numbers) {
  const std::shared_ptr<ByteSource> source = memory_source(bytes, label);
  return TensorFileMaker::make(source->label(), read_bytes(bytes, source),
                               most_numbers);
}

Tensor TensorFile::read(const std::string& name) {
  const auto found = tensors_.find(name);
  if (found == tensors_.end()) {
    fail(label_, "has no tensor {}; it has {}", printable(name),
         some_names(tensors_));
  }
  const TensorInfo& info = found->second;
  const std::ptrdiff_t count = number_count(info.shape);
  if (count > numbers_left_) {
    fail(label_,
         "has {} numbers in {}, and only {} more are read; save a smaller "
         "example, such as one batch and a few tokens",
         count, printable(name), numbers_left_);
  }
  Tensor tensor{info.shape, info.type, loaders_.at(name)()};
  numbers_left_ -= count;
  return tensor;
}

}  // namespace diagnose
