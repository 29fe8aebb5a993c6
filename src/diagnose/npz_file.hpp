/// \file npz_file.hpp
/// NumPy's .npz files: a zip archive with one .npy file for each tensor.
#pragma once

#include "diagnose/tensor_source.hpp"

#include <filesystem>
#include <span>
#include <string>

namespace diagnose {

/// Reads the list of members and the head of each .npy among them. Members are
/// stored or deflated; others, and encrypted ones, are refused.
/// \param path  a zip archive
/// \throws TensorFileProblem if it is no such archive, or what torch.save
/// writes
FileContents read_npz(const std::filesystem::path& path);

/// The same for an archive in memory.
/// \param bytes  have to outlive what is returned
/// \param label  what messages call it
/// \throws TensorFileProblem if it is no such archive, or what torch.save
/// writes
FileContents read_npz(std::span<const std::byte> bytes,
                      const std::string& label);

}  // namespace diagnose
