/// \file cpu_memory.hpp
/// A piece of the CPU device's memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace device {
inline namespace on_cpu_device {

/// Bytes that kernels may touch, between two zones that catch what misses them.
/// All are 0xff at first: not a number, as floats.
class DeviceMemory {
 public:
  /// \param name          for messages
  /// \param count         of elements, 0 or more
  /// \param element_size  bytes of one
  /// \throws std::invalid_argument for a negative count
  /// \throws std::runtime_error where there is no memory for them
  DeviceMemory(std::string name, std::int64_t count, std::size_t element_size);
  ~DeviceMemory();
  DeviceMemory(DeviceMemory&& other) noexcept;
  DeviceMemory& operator=(DeviceMemory&& other) noexcept;

  void* address() const { return begin_; }
  void copy_from_host(const void* from, std::size_t bytes);
  void copy_to_host(void* to, std::size_t bytes) const;
  void set_to_zero();

 private:
  void release();

  void* allocation_ = nullptr;
  std::byte* begin_ = nullptr;
  std::size_t bytes_ = 0;
};

}  // namespace on_cpu_device
}  // namespace device
