// A book of a few exercises in a folder of its own, gone afterwards.
#pragma once

#include "reader/exercises/catalogue.hpp"

#include <fmt/format.h>

#include <fstream>
#include <string>

#include <unistd.h>

namespace reader {

class ScratchBook {
 public:
  ScratchBook() {
    static int count = 0;
    tree.root = fs::temp_directory_path() /
                fmt::format("exercises test {} {}", getpid(), ++count);
    fs::remove_all(tree.root);
  }
  ScratchBook(const ScratchBook&) = delete;
  ScratchBook& operator=(const ScratchBook&) = delete;
  ~ScratchBook() { fs::remove_all(tree.root); }

  void write(const std::string& name, const std::string& text) const {
    fs::create_directories((tree.root / name).parent_path());
    std::ofstream(tree.root / name) << text;
  }

  // chapters/CHAPTER/exercises/NAME.cpp and its checks.
  void add(const std::string& chapter, const std::string& name,
           const std::string& header) const {
    write(fmt::format("chapters/{}/exercises/{}.cpp", chapter, name), header);
    write(fmt::format("chapters/{}/checks/{}.cpp", chapter, name), "checks\n");
  }

  Tree tree;
};

}  // namespace reader
