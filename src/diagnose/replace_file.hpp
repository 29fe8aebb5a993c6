/// \file replace_file.hpp
/// Writes a file beside the one it replaces, so that whoever reads sees the old
/// or the new one, and a full disk loses nothing.
#pragma once

#include <filesystem>
#include <functional>
#include <iosfwd>

namespace diagnose {

/// Lets `write` write a file beside `path`, then moves it there. When that does
/// not end well, it is removed.
/// \param path   what to replace, or a name that is free
/// \param write  gets the name of the file to write
/// \throws TensorFileProblem if the file cannot be put in its place
void replace_file_by_name(
    const std::filesystem::path& path,
    const std::function<void(const std::filesystem::path&)>& write);

/// The same with a stream.
/// \param path   what to replace, or a name that is free
/// \param write  writes what the file shall have
/// \throws TensorFileProblem if the file cannot be written or put in its place
void replace_file(const std::filesystem::path& path,
                  const std::function<void(std::ostream&)>& write);

}  // namespace diagnose
