#include "diagnose/byte_source.hpp"

#include "diagnose/tensor_problem.hpp"

#include <algorithm>
#include <fstream>

namespace diagnose {
namespace {

namespace fs = std::filesystem;

[[noreturn]] void fail_at_the_end(const std::string& label) {
  fail(label,
       "ends before its header says; copy or save it again, it is cut short");
}

class FileReader : public ByteReader {
 public:
  FileReader(const fs::path& path, const std::string& label,
             std::uint64_t offset)
      : label_(label), file_(path, std::ios::binary) {
    if (!file_) {
      fail(label_, "cannot be opened; see whether it is there and is yours");
    }
    file_.seekg(static_cast<std::streamoff>(offset));
  }

  void read(std::span<std::byte> to) override {
    const auto count = static_cast<std::streamsize>(to.size());
    file_.read(reinterpret_cast<char*>(to.data()), count);
    if (file_.gcount() != count) fail_at_the_end(label_);
  }

 private:
  std::string label_;
  std::ifstream file_;
};

class FileSource : public ByteSource {
 public:
  explicit FileSource(const fs::path& path)
      : path_(path), label_(printable(path.string())) {
    std::error_code refused;
    // Anything but a regular file may have no end, or wait for ever.
    const fs::file_status status = fs::status(path_, refused);
    if (!fs::exists(status)) fail(label_, "is not there; check the name");
    if (!fs::is_regular_file(status)) {
      fail(label_, "is not a file; give a .safetensors, .npz or .npy file");
    }
    size_ = fs::file_size(path_, refused);
    if (refused) fail(label_, "cannot be read: {}", refused.message());
  }

  const std::string& label() const override { return label_; }
  std::uint64_t size() const override { return size_; }
  std::unique_ptr<ByteReader> from(std::uint64_t offset) const override {
    return std::make_unique<FileReader>(path_, label_, offset);
  }

 private:
  fs::path path_;
  std::string label_;
  std::uint64_t size_ = 0;
};

class MemoryReader : public ByteReader {
 public:
  MemoryReader(std::span<const std::byte> rest, const std::string& label)
      : rest_(rest), label_(label) {}

  void read(std::span<std::byte> to) override {
    if (to.size() > rest_.size()) fail_at_the_end(label_);
    std::copy_n(rest_.begin(), to.size(), to.begin());
    rest_ = rest_.subspan(to.size());
  }

 private:
  std::span<const std::byte> rest_;
  std::string label_;
};

class MemorySource : public ByteSource {
 public:
  MemorySource(std::span<const std::byte> bytes, const std::string& label)
      : bytes_(bytes), label_(printable(label)) {}

  const std::string& label() const override { return label_; }
  std::uint64_t size() const override { return bytes_.size(); }
  std::unique_ptr<ByteReader> from(std::uint64_t offset) const override {
    return std::make_unique<MemoryReader>(
        bytes_.subspan(static_cast<std::size_t>(offset)), label_);
  }

 private:
  std::span<const std::byte> bytes_;
  std::string label_;
};

}  // namespace

std::shared_ptr<ByteSource> file_source(const fs::path& path) {
  return std::make_shared<FileSource>(path);
}

std::shared_ptr<ByteSource> memory_source(std::span<const std::byte> bytes,
                                          const std::string& label) {
  return std::make_shared<MemorySource>(bytes, label);
}

}  // namespace diagnose
