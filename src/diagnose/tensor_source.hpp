/// \file tensor_source.hpp
/// What each format's reader hands over: the tensors that a file holds, and how
/// to load each.
#pragma once

#include "diagnose/tensor_file.hpp"

#include <functional>
#include <map>
#include <string>
#include <vector>

namespace diagnose {

/// A tensor that has not been loaded.
struct TensorSource {
  TensorInfo info;
  /// Reads the values, row by row.
  std::function<std::vector<double>()> load;
};

/// A file whose header has been read and believed.
struct FileContents {
  std::map<std::string, TensorSource> tensors;
  std::map<std::string, std::string> metadata;
};

}  // namespace diagnose
