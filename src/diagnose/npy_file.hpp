/// \file npy_file.hpp
/// NumPy's .npy files: a header and the numbers of one tensor.
#pragma once

#include "diagnose/byte_source.hpp"
#include "diagnose/npy_header.hpp"
#include "diagnose/tensor_source.hpp"

#include <memory>

namespace diagnose {

/// Reads the header, and holds it against the file's size.
/// \param source  the file
/// \throws TensorFileProblem if either is wrong
TensorSource read_npy(const std::shared_ptr<ByteSource>& source);

/// Holds the header against the size of what follows it.
/// \param header  what the head says
/// \param size    the bytes of the whole file
/// \param label   what messages call it
/// \throws TensorFileProblem if they do not agree
void check_npy_size(const NpyHeader& header, std::uint64_t size,
                    const std::string& label);

/// Reads the numbers behind the header, and puts them in C order.
/// \param from    stands at the first number
/// \param header  what the head says
/// \param held    how many numbers the file is known to have
/// \param label   what messages call it
/// \throws TensorFileProblem if they are not all there
std::vector<double> read_npy_numbers(ByteReader& from, const NpyHeader& header,
                                     std::ptrdiff_t held,
                                     const std::string& label);

}  // namespace diagnose
