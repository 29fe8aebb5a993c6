/// \file npy_header.hpp
/// The head of a .npy file: a magic word, a version, and a Python dict.
/// Sources: NEP 1 and the documentation of numpy.lib.format.
#pragma once

#include "diagnose/byte_source.hpp"
#include "diagnose/tensor_file.hpp"

#include <cstdint>
#include <string>

namespace diagnose {

/// What a .npy file begins with.
constexpr std::string_view npy_magic = "\x93NUMPY";

/// In which order a .npy file has its numbers.
enum class NumberOrder {
  last_index_fastest,  ///< C's: row by row
  first_index_fastest  ///< Fortran's: column by column
};

/// What the head says.
struct NpyHeader {
  TensorInfo info;
  NumberOrder order = NumberOrder::last_index_fastest;
  std::uint64_t length = 0;  ///< bytes before the numbers
};

/// Reads the head and leaves the reader at the first number.
/// \param from   the file from its beginning
/// \param label  what messages call the file
/// \throws TensorFileProblem if the head is wrong, or its tensor is of a kind
///         that is not read here
NpyHeader read_npy_header(ByteReader& from, const std::string& label);

/// The head of a file in C order, padded to a multiple of 64 bytes as NumPy
/// does.
/// \param info   shape and type
/// \param label  what messages call the file
/// \throws TensorFileProblem for bfloat16, which NumPy does not have
std::string npy_header(const TensorInfo& info, const std::string& label);

}  // namespace diagnose
