/// \file tensor_names.hpp
/// What the tensors of .npy files are called.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace diagnose {

/// The files' names without `.npy`. Where several are called alike, as many of
/// the folders they are in go before each as tell them apart: "mine/q",
/// "theirs/q".
/// \param paths  the files
/// \returns as many names, no two equal
/// \throws TensorFileProblem if a file is given twice
std::vector<std::string> tensor_names(
    const std::vector<std::filesystem::path>& paths);

}  // namespace diagnose
