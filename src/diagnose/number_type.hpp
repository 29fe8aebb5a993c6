/// \file number_type.hpp
/// From the bytes of a file, least significant first, to numbers and back.
#pragma once

#include "diagnose/byte_source.hpp"
#include "diagnose/tensor_file.hpp"

#include <optional>

namespace diagnose {

/// How many bytes a number of that type has.
/// \param type  any of them
std::ptrdiff_t byte_count(NumberType type);

/// Every type there is.
std::span<const NumberType> number_types();

/// How many bytes a tensor has, or nothing when its sizes or their product do
/// not fit 63 bits, sizes of 0 left aside: no program can hold such a tensor.
/// \param info  sizes, none negative, and type
std::optional<std::uint64_t> byte_count(const TensorInfo& info);

/// Reads numbers.
/// \param from   the bytes
/// \param type   how they are stored
/// \param count  how many numbers
/// \param held   how many the file is known to have: room is made for so many
///               at once, and for what comes beyond only as it comes
/// \param label  what messages call the tensor and its file
/// \throws TensorFileProblem if there are not so many, or a bool is neither 0
///         nor 1
std::vector<double> read_numbers(ByteReader& from, NumberType type,
                                 std::ptrdiff_t count, std::ptrdiff_t held,
                                 const std::string& label);

/// The bytes of a tensor's values, row by row.
/// \param tensor  shape, type and values
/// \param label   what messages call the tensor and its file
/// \throws TensorFileProblem if the values do not fit the shape or the type
std::vector<char> bytes_of(const Tensor& tensor, const std::string& label);

}  // namespace diagnose
