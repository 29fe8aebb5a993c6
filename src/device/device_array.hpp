/// \file device_array.hpp
/// Arrays in the memory of the device that kernels run on.
#pragma once

#ifdef __CUDACC__
#include "device/gpu_memory.hpp"
#else
#include "device/cpu_memory.hpp"
#endif

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace device {
#ifdef __CUDACC__
inline namespace on_gpu {
#else
inline namespace on_cpu_device {
#endif

/// Numbers in the device's memory, which the host cannot read or write in
/// place.
template <class T>
class DeviceArray {
 public:
  /// Its numbers are undefined until somebody writes them.
  /// \param name   for messages
  /// \param count  of numbers, 0 or more
  /// \throws std::invalid_argument for a negative count
  /// \throws std::runtime_error where there is no memory for them
  DeviceArray(std::string name, std::int64_t count)
      : memory_(std::move(name), count, sizeof(T)), count_(count) {}

  /// \param name     for messages
  /// \param numbers  copied
  /// \throws std::runtime_error where there is no memory for them
  DeviceArray(std::string name, std::span<const T> numbers)
      : DeviceArray(std::move(name),
                    static_cast<std::int64_t>(numbers.size())) {
    memory_.copy_from_host(numbers.data(), numbers.size_bytes());
  }
  /// \param name     for messages
  /// \param numbers  copied
  DeviceArray(std::string name, const std::vector<T>& numbers)
      : DeviceArray(std::move(name), std::span<const T>(numbers)) {}

  /// \return the address of the first, for kernels
  T* data() { return static_cast<T*>(memory_.address()); }
  /// \return the address of the first, for kernels
  const T* data() const { return static_cast<const T*>(memory_.address()); }
  /// \return how many there are
  std::int64_t size() const { return count_; }

  /// Waits for the kernels that were launched.
  /// \return a copy of the numbers
  std::vector<T> to_host() const {
    std::vector<T> numbers(static_cast<std::size_t>(count_));
    memory_.copy_to_host(numbers.data(), numbers.size() * sizeof(T));
    return numbers;
  }

  /// Makes every byte 0.
  void set_to_zero() { memory_.set_to_zero(); }

 private:
  DeviceMemory memory_;
  std::int64_t count_;
};

}
}  // namespace device
