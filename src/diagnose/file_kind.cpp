#include "diagnose/file_kind.hpp"

#include "diagnose/npy_header.hpp"
#include "diagnose/tensor_problem.hpp"

#include <algorithm>
#include <string>
#include <string_view>

namespace diagnose {
namespace {

using std::string_view_literals::operator""sv;

constexpr std::string_view how_to_save =
    "save it with safetensors.torch.save_file or numpy.savez";

// What people have instead, and what to do then.
struct OtherFormat {
  std::string_view beginning, what, advice;
};

constexpr OtherFormat others[] = {
    {"GGUF"sv, "is a GGUF file, of quantised weights", how_to_save},
    {"\x89HDF\r\n\x1a\n"sv, "is an HDF5 file", how_to_save},
    {"\x80"sv,
     "is a Python pickle, as torch.save wrote it, which is not read "
     "here",
     how_to_save},
    {"\x1f\x8b"sv, "is packed by gzip", "unpack it with gunzip"},
    {"7z\xbc\xaf\x27\x1c"sv, "is packed by 7-Zip", "unpack it"},
    {"\xfd"
     "7zXZ"sv,
     "is packed by xz", "unpack it with unxz"},
    {"\x28\xb5\x2f\xfd"sv, "is packed by zstd", "unpack it with unzstd"},
    {"version https://git-lfs"sv, "is Git LFS's note on a file, not the file",
     "fetch it with git lfs pull"},
    {"<!DOCTYPE"sv, "is a web page", "download the file itself"},
    {"<html"sv, "is a web page", "download the file itself"},
};

// Enough for all of the above.
constexpr std::uint64_t looked_at = 32;

std::string beginning_of(const ByteSource& source) {
  const std::uint64_t length = std::min(looked_at, source.size());
  std::string text(static_cast<std::size_t>(length), '\0');
  source.from(0)->read(std::as_writable_bytes(std::span(text)));
  return text;
}

}  // namespace

FileKind kind_of(const ByteSource& source) {
  const std::string start = beginning_of(source);
  if (start.empty()) {
    fail(source.label(), "is empty; save it again");
  }
  if (start.starts_with(npy_magic)) return FileKind::npy;
  if (start.starts_with("PK\3\4"sv) || start.starts_with("PK\5\6"sv)) {
    return FileKind::zip;
  }
  // The length of a safetensors header, in the first 8 bytes, is so small that
  // half of them are 0; every other format has something there.
  constexpr std::string_view small = "\0\0\0\0{"sv;
  if (start.size() > 8 && start.substr(4, small.size()) == small) {
    return FileKind::safetensors;
  }
  for (const OtherFormat& other : others) {
    if (start.starts_with(other.beginning)) {
      fail(source.label(), "{}; {}", other.what, other.advice);
    }
  }
  if (start.size() > 8 && start[8] == '{') return FileKind::safetensors;
  fail(source.label(), "is no .safetensors, .npz or .npy file; {}",
       how_to_save);
}

}  // namespace diagnose
