// Files and dates, as the exercise commands use them.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace reader {

namespace fs = std::filesystem;

// The folders of a copy of the book.
struct Tree {
  fs::path root;
  fs::path my() const { return root / "my"; }
  fs::path build() const { return root / "build" / "release"; }
  fs::path log() const { return root / "build" / "log"; }
  fs::path progress() const { return my() / "progress.json"; }
  // What `mha` holds while it builds, possibly for minutes.
  fs::path build_lock() const { return root / "build" / "lock"; }
  // What is held while progress is read, changed and written.
  fs::path progress_lock() const { return root / "build" / "progress_lock"; }
};

// As the reader would type it from where they are.
std::string shown(const fs::path& path);

std::string read_file(const fs::path& path);

// Replaces a file in one step: whoever reads it sees the old or the new text.
void write_file(const fs::path& path, const std::string& text);

// Makes the folder unless it is there.
void make_folder(const fs::path& folder);

// Copies to a file that does not exist yet, and never onto one that does.
void copy_new(const fs::path& from, const fs::path& to);

std::string today();          // 2025-11-29
std::string date_and_time();  // 2025-11-29_22-10-05

// FOLDER/NAME.EXTENSION, or FOLDER/NAME-2.EXTENSION and so on: the first name
// that is free.
fs::path free_name(const fs::path& folder, const std::string& name,
                   const std::string& extension);

// The same text gives the same 16 hexadecimal digits on every machine
// (64-bit FNV-1a).
std::string fingerprint(std::string_view text);

}  // namespace reader
