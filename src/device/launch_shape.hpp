/// \file launch_shape.hpp
/// How many threads a kernel is launched with.
#pragma once

#include <cstddef>
#include <cstdint>

namespace device {

/// Counts in three directions. Of 64 bits, unlike CUDA's dim3, so that a count
/// too large is seen before it is cut to 32.
struct Extent {
  std::int64_t x = 1;
  std::int64_t y = 1;
  std::int64_t z = 1;

  constexpr Extent() = default;
  /// \param across  along x, at least 1
  /// \param down    along y
  /// \param deep    along z
  constexpr Extent(std::int64_t across, std::int64_t down = 1,
                   std::int64_t deep = 1)
      : x(across), y(down), z(deep) {}
  /// \param counts  a dim3
  template <class Dim3>
    requires requires(Dim3 d) { d.x + d.y + d.z; }
  constexpr Extent(const Dim3& counts)
      : x(counts.x), y(counts.y), z(counts.z) {}

  /// \return how many in all; of counts that check_launch has passed
  constexpr std::int64_t total() const { return x * y * z; }
};

/// What stands in <<< >>>.
struct LaunchShape {
  Extent grid;                    ///< blocks
  Extent block;                   ///< threads of each
  std::size_t dynamic_bytes = 0;  ///< shared memory whose size the caller gives
};

/// A kernel's name and where it is launched: the second and third are filled
/// in by the compiler where the name is written.
struct KernelName {
  const char* name;
  const char* file;
  int line;

  /// \param kernel  its name, for messages
  /// \param from    the file of the call
  /// \param at      its line
  constexpr KernelName(const char* kernel, const char* from = __builtin_FILE(),
                       int at = __builtin_LINE())
      : name(kernel), file(from), line(at) {}
};

}  // namespace device
