/// \file byte_source.hpp
/// Where bytes come from: a file, memory, or a member of an archive.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>

namespace diagnose {

/// Bytes one after the other, such as what an archive unpacks.
class ByteReader {
 public:
  virtual ~ByteReader() = default;

  /// Reads the next bytes.
  /// \param to  is filled to its end
  /// \throws TensorFileProblem if there are not so many
  virtual void read(std::span<std::byte> to) = 0;
};

/// Bytes whose number is known, to be read from any place.
class ByteSource {
 public:
  virtual ~ByteSource() = default;

  /// What messages call it: the file's name.
  virtual const std::string& label() const = 0;

  /// How many bytes there are.
  virtual std::uint64_t size() const = 0;

  /// A reader that begins at `offset`.
  /// \param offset  at most size()
  /// \throws TensorFileProblem if the file cannot be opened
  virtual std::unique_ptr<ByteReader> from(std::uint64_t offset) const = 0;
};

/// A regular file; it is open only while a reader of it lives.
/// \param path  the file
/// \throws TensorFileProblem if there is none, or it is a folder or a device
std::shared_ptr<ByteSource> file_source(const std::filesystem::path& path);

/// Bytes in memory.
/// \param bytes  have to outlive the source
/// \param label  what messages call them
std::shared_ptr<ByteSource> memory_source(std::span<const std::byte> bytes,
                                          const std::string& label);

}  // namespace diagnose
