#include "diagnose/npz_file.hpp"

#include "diagnose/npy_file.hpp"
#include "diagnose/number_type.hpp"
#include "diagnose/replace_file.hpp"
#include "diagnose/tensor_problem.hpp"

#include <zip.h>

#include <array>
#include <memory>
#include <string_view>

namespace diagnose {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view ending = ".npy";

// Deflate makes at most 1032 bytes of one (zlib's technical details).
constexpr std::uint64_t most_from_a_byte = 1032;

// An archive that is open for reading.
struct Archive {
  std::string label;
  std::unique_ptr<zip_t, decltype(&zip_discard)> zip{nullptr, &zip_discard};
};

// What a zip_error_t says, for a message.
class ZipError {
 public:
  ZipError() { zip_error_init(&error_); }
  ZipError(const ZipError&) = delete;
  ZipError& operator=(const ZipError&) = delete;
  ~ZipError() { zip_error_fini(&error_); }
  zip_error_t* get() { return &error_; }
  bool is_name_twice() { return zip_error_code_zip(&error_) == ZIP_ER_EXISTS; }
  std::string text() { return printable(zip_error_strerror(&error_)); }

 private:
  zip_error_t error_;
};

[[noreturn]] void fail_at_name_twice(const std::string& label) {
  fail(label, "has two members of one name; save it again");
}

// Takes what `source` is, also when it does not end well.
std::shared_ptr<Archive> open_archive(zip_source_t* source, ZipError& error,
                                      const std::string& label) {
  auto archive = std::make_shared<Archive>();
  archive->label = label;
  if (source != nullptr) {
    archive->zip.reset(
        zip_open_from_source(source, ZIP_RDONLY | ZIP_CHECKCONS, error.get()));
    if (!archive->zip) zip_source_free(source);
  }
  if (!archive->zip && error.is_name_twice()) fail_at_name_twice(label);
  if (!archive->zip) {
    fail(label,
         "is no zip archive that can be read ({}); copy or save it again",
         error.text());
  }
  return archive;
}

struct CloseMember {
  void operator()(zip_file_t* file) const { zip_fclose(file); }
};

// Unpacks one member.
class MemberReader : public ByteReader {
 public:
  MemberReader(const Archive& archive, std::uint64_t index,
               const std::string& label)
      : label_(label), file_(zip_fopen_index(archive.zip.get(), index, 0)) {
    if (!file_) {
      fail(label_, "cannot be unpacked ({}); save it again",
           printable(zip_strerror(archive.zip.get())));
    }
  }

  void read(std::span<std::byte> to) override {
    while (!to.empty()) {
      const zip_int64_t count = zip_fread(file_.get(), to.data(), to.size());
      if (count <= 0) {
        fail(label_,
             "is damaged or ends before its header says; copy or save it "
             "again");
      }
      to = to.subspan(static_cast<std::size_t>(count));
    }
  }

  // Reads on to the end, where libzip compares the checksum.
  void expect_end() {
    std::byte next{};
    const zip_int64_t count = zip_fread(file_.get(), &next, 1);
    if (count < 0) {
      fail(label_, "is damaged ({}); copy or save it again",
           printable(zip_file_strerror(file_.get())));
    }
    if (count > 0) {
      fail(label_, "unpacks to more than the archive says; save it again");
    }
  }

 private:
  std::string label_;
  std::unique_ptr<zip_file_t, CloseMember> file_;
};

// One member of the archive, as the list at its end has it.
struct Member {
  std::uint64_t index = 0;
  std::string name;
  std::uint64_t size = 0;
  std::uint64_t packed_size = 0;
};

Member member_at(const Archive& archive, std::uint64_t index) {
  constexpr zip_uint64_t needed = ZIP_STAT_NAME | ZIP_STAT_SIZE |
                                  ZIP_STAT_COMP_SIZE | ZIP_STAT_COMP_METHOD |
                                  ZIP_STAT_ENCRYPTION_METHOD;
  zip_stat_t stat;
  zip_stat_init(&stat);
  if (zip_stat_index(archive.zip.get(), index, 0, &stat) != 0 ||
      (stat.valid & needed) != needed) {
    fail(archive.label, "has a member without name or size; save it again");
  }
  const Member member{index, stat.name, stat.size, stat.comp_size};
  const std::string shown = printable(member.name);
  if (stat.encryption_method != ZIP_EM_NONE) {
    fail(archive.label, "has {} encrypted; save it with numpy.savez", shown);
  }
  if (stat.comp_method != ZIP_CM_STORE && stat.comp_method != ZIP_CM_DEFLATE) {
    fail(archive.label,
         "has {} packed by method {}, and only deflate is unpacked here; save "
         "it with numpy.savez",
         shown, stat.comp_method);
  }
  if (member.size / most_from_a_byte > member.packed_size) {
    fail(archive.label,
         "says that {} bytes unpack to the {} of {}, which is impossible; save "
         "it again",
         member.packed_size, member.size, shown);
  }
  return member;
}

TensorSource read_member(const std::shared_ptr<Archive>& archive,
                         const Member& member) {
  const std::string label = archive->label + ": " + printable(member.name);
  MemberReader reader(*archive, member.index, label);
  const NpyHeader header = read_npy_header(reader, label);
  check_npy_size(header, member.size, label);
  // An archive's sizes are only what it says: no room is made ahead.
  constexpr std::ptrdiff_t held = 0;
  return {header.info, [archive, index = member.index, label] {
            MemberReader numbers(*archive, index, label);
            const NpyHeader head = read_npy_header(numbers, label);
            auto values = read_npy_numbers(numbers, head, held, label);
            numbers.expect_end();
            return values;
          }};
}

bool is_torch_save(const std::string& member) {
  constexpr std::string_view pickle = "data.pkl";
  return member == pickle || member.ends_with("/data.pkl");
}

FileContents read_archive(const std::shared_ptr<Archive>& archive) {
  FileContents found;
  const zip_int64_t count = zip_get_num_entries(archive->zip.get(), 0);
  for (zip_int64_t i = 0; i < count; ++i) {
    const auto index = static_cast<zip_uint64_t>(i);
    const char* member = zip_get_name(archive->zip.get(), index, 0);
    if (member == nullptr) {
      fail(archive->label, "has a member without a name; save it again");
    }
    const std::string file = member;
    if (is_torch_save(file)) {
      fail(archive->label,
           "is what torch.save writes, with Python's pickle in it, which is "
           "not read here; save it with safetensors.torch.save_file or "
           "numpy.savez");
    }
    if (!file.ends_with(ending)) continue;
    const std::string tensor = file.substr(0, file.size() - ending.size());
    // libzip 1.7 has refused it by now; that others do is not documented.
    if (found.tensors.count(tensor) > 0) fail_at_name_twice(archive->label);
    if (found.tensors.size() == most_tensors) {
      fail(archive->label, "has more than {} tensors; save those that matter",
           most_tensors);
    }
    found.tensors[tensor] = read_member(archive, member_at(*archive, index));
  }
  if (found.tensors.empty()) {
    fail(archive->label,
         "is a zip archive without a .npy file; save it with numpy.savez");
  }
  return found;
}

}  // namespace

FileContents read_npz(const fs::path& path) {
  ZipError error;
  zip_source_t* source =
      zip_source_file_create(path.c_str(), 0, -1, error.get());
  return read_archive(open_archive(source, error, printable(path.string())));
}

FileContents read_npz(std::span<const std::byte> bytes,
                      const std::string& label) {
  ZipError error;
  zip_source_t* source =
      zip_source_buffer_create(bytes.data(), bytes.size(), 0, error.get());
  return read_archive(open_archive(source, error, printable(label)));
}

namespace {

// The .npy files of an archive that is being written: libzip reads them when
// it closes the archive.
using Files = std::map<std::string, std::string>;

Files npy_files(const std::map<std::string, Tensor>& tensors,
                const std::string& label) {
  Files files;
  for (const auto& [tensor, data] : tensors) {
    const std::string member = label + ": " + printable(tensor);
    const std::vector<char> bytes = bytes_of(data, member);
    std::string& file = files[tensor + std::string(ending)];
    file = npy_header({data.shape, data.type}, member);
    file.append(bytes.begin(), bytes.end());
  }
  return files;
}

// Whether the file has become a member, stored, of the same date always, so
// that the same tensors give the same bytes.
bool add_member(zip_t* zip, const std::string& name, const std::string& file) {
  constexpr zip_uint16_t midnight = 0, first_of_1980 = (1 << 5) | 1;
  zip_source_t* source = zip_source_buffer(zip, file.data(), file.size(), 0);
  if (source == nullptr) return false;
  const zip_int64_t index =
      zip_file_add(zip, name.c_str(), source, ZIP_FL_ENC_UTF_8);
  if (index < 0) {
    zip_source_free(source);
    return false;
  }
  const auto member = static_cast<zip_uint64_t>(index);
  return zip_set_file_compression(zip, member, ZIP_CM_STORE, 0) == 0 &&
         zip_file_set_dostime(zip, member, midnight, first_of_1980, 0) == 0;
}

}  // namespace

void write_npz(const fs::path& path,
               const std::map<std::string, Tensor>& tensors) {
  const std::string label = printable(path.string());
  if (tensors.empty()) {
    fail(label, "would have no tensor in it; give at least one");
  }
  const Files files = npy_files(tensors, label);
  replace_file_by_name(path, [&](const fs::path& fresh) {
    int error = 0;
    std::unique_ptr<zip_t, decltype(&zip_discard)> zip(
        zip_open(fresh.c_str(), ZIP_CREATE | ZIP_TRUNCATE, &error),
        &zip_discard);
    bool is_written = zip != nullptr;
    for (const auto& [name, file] : files) {
      is_written = is_written && add_member(zip.get(), name, file);
    }
    is_written = is_written && zip_close(zip.get()) == 0;
    if (!is_written) {
      fail(label,
           "cannot be written ({}); see whether its folder is there and "
           "yours, and the disk has room",
           zip ? printable(zip_strerror(zip.get())) : "libzip cannot open it");
    }
    static_cast<void>(zip.release());  // zip_close has freed it
  });
}

}  // namespace diagnose
