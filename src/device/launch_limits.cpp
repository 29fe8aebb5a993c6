#include "device/launch_limits.hpp"

#include <fmt/format.h>

namespace device {

LaunchLimits limits_of_sm_80() {
  return {.card = "compute capability 8.0", .dynamic_bytes = 163 * 1024};
}

LaunchLimits limits_of_sm_90() {
  return {.card = "compute capability 9.0", .dynamic_bytes = 227 * 1024};
}

namespace {

std::string outside(const char* what, std::int64_t count, std::int64_t most) {
  if (count < 1 || count > most) {
    return fmt::format("{} is {}, and must be from 1 to {}", what, count, most);
  }
  return "";
}

}  // namespace

// [limits]
std::string over_limit(const LaunchShape& shape, const LaunchLimits& limits) {
  const auto& [grid, block, dynamic_bytes] = shape;
  for (const std::string& problem :
       {outside("the grid's x", grid.x, limits.grid.x),
        outside("the grid's y", grid.y, limits.grid.y),
        outside("the grid's z", grid.z, limits.grid.z),
        outside("the block's x", block.x, limits.block.x),
        outside("the block's y", block.y, limits.block.y),
        outside("the block's z", block.z, limits.block.z)}) {
    if (!problem.empty()) return problem;
  }
  if (block.total() > limits.block_threads) {
    return fmt::format(
        "a block of {} x {} x {} has {} threads, and may have {}", block.x,
        block.y, block.z, block.total(), limits.block_threads);
  }
  if (dynamic_bytes > static_cast<std::size_t>(limits.dynamic_bytes)) {
    return fmt::format("{} bytes of dynamic shared memory, "
                       "and a block may have {}",
                       dynamic_bytes, limits.dynamic_bytes);
  }
  return "";
}

std::string over_shared_limit(std::int64_t static_bytes,
                              std::int64_t dynamic_bytes,
                              const LaunchLimits& limits) {
  if (static_bytes > limits.static_bytes) {
    return fmt::format("{} bytes of static shared memory, "
                       "and a kernel may have {}",
                       static_bytes, limits.static_bytes);
  }
  if (static_bytes + dynamic_bytes > limits.dynamic_bytes) {
    return fmt::format("{} bytes of static and {} of dynamic shared memory, "
                       "and a block may have {} in all",
                       static_bytes, dynamic_bytes, limits.dynamic_bytes);
  }
  return "";
}
// [limits]

}  // namespace device
