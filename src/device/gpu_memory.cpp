#include "device/gpu_memory.hpp"

#include "device/device_bytes.hpp"
#include "device/gpu_check.hpp"

#include <utility>

namespace device {
inline namespace on_gpu {

DeviceMemory::DeviceMemory(std::string name, std::int64_t count,
                           std::size_t element_size)
    : name_(std::move(name)), bytes_(device_bytes(name_, count, element_size)) {
  if (bytes_ == 0) return;
  check_gpu(cudaMalloc(&begin_, bytes_), name_, "making room for it");
  if (const cudaError_t error = cudaMemset(begin_, 0xff, bytes_);
      error != cudaSuccess) {
    cudaFree(begin_);  // no destructor will
    check_gpu(error, name_, "filling it");
  }
}

DeviceMemory::~DeviceMemory() { cudaFree(begin_); }

DeviceMemory::DeviceMemory(DeviceMemory&& other) noexcept
    : name_(std::move(other.name_)),
      begin_(std::exchange(other.begin_, nullptr)),
      bytes_(std::exchange(other.bytes_, 0)) {}

DeviceMemory& DeviceMemory::operator=(DeviceMemory&& other) noexcept {
  std::swap(name_, other.name_);
  std::swap(begin_, other.begin_);
  std::swap(bytes_, other.bytes_);
  return *this;
}

void DeviceMemory::copy_from_host(const void* from, std::size_t bytes) {
  if (bytes == 0) return;
  check_gpu(cudaMemcpy(begin_, from, bytes, cudaMemcpyHostToDevice), name_,
            "copying to it");
}

void DeviceMemory::copy_to_host(void* to, std::size_t bytes) const {
  if (bytes == 0) return;
  check_gpu(cudaMemcpy(to, begin_, bytes, cudaMemcpyDeviceToHost), name_,
            "copying from it");
}

void DeviceMemory::set_to_zero() {
  if (bytes_ == 0) return;
  check_gpu(cudaMemset(begin_, 0, bytes_), name_, "setting it to zero");
}

}  // namespace on_gpu
}  // namespace device
