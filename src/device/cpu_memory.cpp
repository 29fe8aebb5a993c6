#include "device/cpu_memory.hpp"

#include "device/access_watch.hpp"
#include "device/device_bytes.hpp"

#include <fmt/format.h>

#include <cstdlib>
#include <cstring>
#include <stdexcept>
#include <utility>

namespace device {
inline namespace on_cpu_device {

namespace {

constexpr std::size_t alignment = 256;  // as cudaMalloc gives

}  // namespace

DeviceMemory::DeviceMemory(std::string name, std::int64_t count,
                           std::size_t element_size)
    : bytes_(device_bytes(name, count, element_size)) {
  const std::size_t rounded = (bytes_ + alignment - 1) / alignment * alignment;
  const std::size_t all = rounded + 2 * guard_bytes;
  allocation_ = std::aligned_alloc(alignment, all);
  if (allocation_ == nullptr) {
    throw std::runtime_error(fmt::format(
        "no memory for {} ({} bytes)", name, bytes_));
  }
  std::memset(allocation_, 0xff, all);
  begin_ = static_cast<std::byte*>(allocation_) + guard_bytes;
  access_watch().add_buffer(begin_, bytes_, std::move(name), element_size);
}

DeviceMemory::~DeviceMemory() { release(); }

DeviceMemory::DeviceMemory(DeviceMemory&& other) noexcept
    : allocation_(std::exchange(other.allocation_, nullptr)),
      begin_(std::exchange(other.begin_, nullptr)),
      bytes_(std::exchange(other.bytes_, 0)) {}

DeviceMemory& DeviceMemory::operator=(DeviceMemory&& other) noexcept {
  if (this == &other) return *this;
  release();
  allocation_ = std::exchange(other.allocation_, nullptr);
  begin_ = std::exchange(other.begin_, nullptr);
  bytes_ = std::exchange(other.bytes_, 0);
  return *this;
}

void DeviceMemory::release() {
  if (allocation_ == nullptr) return;
  access_watch().remove_buffer(begin_);
  std::free(allocation_);
}

void DeviceMemory::copy_from_host(const void* from, std::size_t bytes) {
  if (bytes == 0) return;
  std::memcpy(begin_, from, bytes);
  access_watch().host_wrote(begin_, bytes);
}

void DeviceMemory::copy_to_host(void* to, std::size_t bytes) const {
  if (bytes != 0) std::memcpy(to, begin_, bytes);
}

void DeviceMemory::set_to_zero() {
  std::memset(begin_, 0, bytes_);
  access_watch().host_wrote(begin_, bytes_);
}

}  // namespace on_cpu_device
}  // namespace device
