#include "reader/exercises/files.hpp"

#include "reader/exercises/problem.hpp"

#include <cstdint>
#include <ctime>
#include <fstream>
#include <iterator>

namespace reader {
namespace {

std::string formatted_now(const char* format) {
  const std::time_t now = std::time(nullptr);
  std::tm local{};
  localtime_r(&now, &local);
  char text[32];
  const std::size_t length = std::strftime(text, sizeof text, format, &local);
  return {text, length};
}

}  // namespace

std::string shown(const fs::path& path) {
  std::error_code lost;
  const fs::path near = fs::proximate(path, lost);
  return (lost || near.empty() ? path : near).string();
}

std::string read_file(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::string text{std::istreambuf_iterator<char>(file), {}};
  if (!file.is_open() || file.bad() || fs::is_directory(path)) {
    fail("{} cannot be read; see whether it is there and is yours",
         shown(path));
  }
  return text;
}

void write_file(const fs::path& path, const std::string& text) {
  const fs::path fresh = path.string() + ".new";
  std::ofstream file(fresh, std::ios::binary);
  file << text;
  file.close();
  std::error_code refused;
  if (!file.fail()) fs::rename(fresh, path, refused);
  if (file.fail() || refused) {
    std::error_code ignored;
    fs::remove(fresh, ignored);
    fail(
        "{} cannot be written; see whether its folder is yours and the disk "
        "has room",
        shown(path));
  }
}

void make_folder(const fs::path& folder) {
  std::error_code refused;
  fs::create_directories(folder, refused);
  if (refused || !fs::is_directory(folder)) {
    fail("{} cannot be made: {}; it has to be a folder that is yours",
         shown(folder), refused.message());
  }
}

void copy_new(const fs::path& from, const fs::path& to) {
  std::error_code refused;
  fs::copy_file(from, to, fs::copy_options::none, refused);
  if (refused) {
    fail("{} cannot be written: {}", shown(to), refused.message());
  }
  // The shipped file may be read-only; the copy is for writing.
  fs::permissions(to, fs::perms::owner_write, fs::perm_options::add, refused);
}

std::string today() { return formatted_now("%Y-%m-%d"); }

std::string date_and_time() { return formatted_now("%Y-%m-%d_%H-%M-%S"); }

fs::path free_name(const fs::path& folder, const std::string& name,
                   const std::string& extension) {
  fs::path path = folder / (name + extension);
  for (int i = 2; fs::exists(fs::symlink_status(path)); ++i) {
    path = folder / fmt::format("{}-{}{}", name, i, extension);
  }
  return path;
}

std::string fingerprint(std::string_view text) {
  std::uint64_t hash = 0xcbf29ce484222325u;
  for (const char c : text) {
    hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3u;
  }
  return fmt::format("{:016x}", hash);
}

}  // namespace reader
