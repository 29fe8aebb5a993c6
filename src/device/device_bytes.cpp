#include "device/device_bytes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <stdexcept>

namespace device {

std::size_t device_bytes(const std::string& name, std::int64_t count,
                         std::size_t element_size) {
  constexpr std::int64_t most_bytes =
      std::min(std::int64_t{1} << 47,
               std::int64_t{std::numeric_limits<std::ptrdiff_t>::max()});
  const std::int64_t most =
      most_bytes / static_cast<std::int64_t>(element_size);
  if (count < 0 || count > most) {
    throw std::invalid_argument(fmt::format(
        "{} is to have {} elements of {} bytes: no device has room for that",
        name, count, element_size));
  }
  return static_cast<std::size_t>(count) * element_size;
}

}  // namespace device
