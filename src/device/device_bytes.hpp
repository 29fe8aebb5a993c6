/// \file device_bytes.hpp
/// The size of an array in a device's memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace device {

/// \param name          of the array, for messages
/// \param count         of elements
/// \param element_size  bytes of one
/// \return bytes of all
/// \throws std::invalid_argument for a negative count, or one whose bytes
///         nobody can address
std::size_t device_bytes(const std::string& name, std::int64_t count,
                         std::size_t element_size);

}  // namespace device
