#include "cuda_stand_in.hpp"

#include <cuda_runtime_api.h>
#include <fatbinary_section.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <map>
#include <memory>
#include <optional>
#include <string_view>

namespace {

using Clock = std::chrono::steady_clock;

// One nvcc-compiled file: its PTX is read when a kernel of it is first wanted.
struct CompiledFile {
  std::string_view ptx;
  std::unique_ptr<ptx::Module> module;
};

struct HostKernel {
  CompiledFile* file = nullptr;
  std::string name;
  std::size_t dynamic_limit = 0;  // 0: what is had without asking
};

struct Configuration {
  dim3 grid, block;
  std::size_t dynamic_bytes = 0;
  cudaStream_t stream = nullptr;
};

// Everything there is; made when it is first used, before main.
struct Everything {
  stand_in::Card card;
  std::vector<std::unique_ptr<CompiledFile>> files;
  std::map<const void*, HostKernel> kernels;  // by the host's address
  std::vector<Configuration> configurations;
  ptx::CardMemory memory;
  std::vector<ptx::Asked> launches;
  std::string fault;
  cudaError_t last = cudaSuccess;   // forgotten when it is asked for
  cudaError_t stuck = cudaSuccess;  // after a fault: for good
};

Everything& all() {
  static Everything everything;
  return everything;
}

constexpr std::size_t free_shared_bytes = 48 * 1024;
constexpr std::size_t most_shared_bytes = 227 * 1024;
constexpr unsigned most_threads = 1024;

cudaError_t result(cudaError_t error) {
  if (error != cudaSuccess) all().last = error;
  return error;
}

cudaError_t presence() {
  if (!all().card.driver) return cudaErrorInsufficientDriver;
  return all().card.count > 0 ? cudaSuccess : cudaErrorNoDevice;
}

// Of calls that wait for the kernels: what went wrong in these shows here.
cudaError_t after_kernels(cudaError_t error) {
  if (const cudaError_t gone = presence(); gone != cudaSuccess) {
    return result(gone);
  }
  if (!all().fault.empty()) all().stuck = cudaErrorIllegalAddress;
  return result(all().stuck != cudaSuccess ? all().stuck : error);
}

// The text behind a fat binary's header: {magic, version and header's size,
// bytes behind it}. nvcc is told not to compress it.
std::string_view ptx_in(const void* wrapper) {
  const auto* const outer = static_cast<const __fatBinC_Wrapper_t*>(wrapper);
  const auto* const begin = reinterpret_cast<const char*>(outer->data);
  std::uint16_t header = 0;
  std::uint64_t bytes = 0;
  std::memcpy(&header, begin + 6, sizeof header);
  std::memcpy(&bytes, begin + 8, sizeof bytes);
  const std::string_view all_bytes(begin, header + bytes);
  const std::size_t from = all_bytes.find("\n.version ");
  if (from == std::string_view::npos) return {};
  return all_bytes.substr(from, all_bytes.find('\0', from) - from);
}

const ptx::Kernel& kernel_of(const HostKernel& host) {
  CompiledFile& file = *host.file;
  if (!file.module) {
    if (file.ptx.empty())
      throw std::runtime_error("no PTX beside " + host.name);
    auto module = std::make_unique<ptx::Module>();
    ptx::read_module(std::string(file.ptx), *module);
    file.module = std::move(module);
  }
  return file.module->kernels.at(host.name);
}

bool over_shared(const HostKernel& host, const ptx::Kernel& kernel,
                 const Configuration& c) {
  const std::size_t limit = host.dynamic_limit != 0
                                ? host.dynamic_limit
                                : free_shared_bytes - kernel.shared_bytes;
  return kernel.shared_bytes > free_shared_bytes || c.dynamic_bytes > limit;
}

bool over_limits(const Configuration& c) {
  const auto outside = [](const dim3& n, unsigned x, unsigned y, unsigned z) {
    return n.x < 1 || n.y < 1 || n.z < 1 || n.x > x || n.y > y || n.z > z;
  };
  return outside(c.block, most_threads, most_threads, 64) ||
         outside(c.grid, 0x7fffffff, 0xffff, 0xffff) ||
         std::uint64_t{c.block.x} * c.block.y * c.block.z > most_threads;
}

std::vector<unsigned char> parameters_of(const ptx::Kernel& kernel,
                                         void** arguments) {
  std::vector<unsigned char> bytes(kernel.parameter_bytes);
  for (std::size_t n = 0; n < kernel.parameters.size(); ++n) {
    const ptx::Parameter& parameter = kernel.parameters[n];
    std::memcpy(bytes.data() + parameter.offset, arguments[n], parameter.bytes);
  }
  return bytes;
}

cudaError_t launch(const HostKernel& host, const Configuration& c,
                   void** arguments) {
  if (const cudaError_t gone = presence(); gone != cudaSuccess) return gone;
  if (all().stuck != cudaSuccess) return all().stuck;
  const ptx::Kernel& kernel = kernel_of(host);
  if (over_shared(host, kernel, c)) return cudaErrorInvalidValue;
  if (over_limits(c)) return cudaErrorInvalidConfiguration;
  if (!all().fault.empty()) return cudaSuccess;  // what follows a fault is lost
  try {
    all().launches.push_back(
        ptx::run({.kernel = &kernel,
                  .grid = {c.grid.x, c.grid.y, c.grid.z},
                  .block = {c.block.x, c.block.y, c.block.z},
                  .dynamic_bytes = c.dynamic_bytes,
                  .parameters = parameters_of(kernel, arguments),
                  .seed = all().card.seed},
                 *host.file->module, all().memory));
  } catch (const ptx::Fault& fault) {
    all().fault = fault.what();
  }
  return cudaSuccess;
}

bool held(const void* address, std::size_t bytes) {
  return all().memory.holds(reinterpret_cast<std::uintptr_t>(address), bytes);
}

bool valid_copy(const void* to, const void* from, std::size_t bytes,
                cudaMemcpyKind kind) {
  const bool to_card =
      kind == cudaMemcpyHostToDevice || kind == cudaMemcpyDeviceToDevice;
  const bool from_card =
      kind == cudaMemcpyDeviceToHost || kind == cudaMemcpyDeviceToDevice;
  return held(to, bytes) == to_card && held(from, bytes) == from_card;
}

}  // namespace

namespace stand_in {

void insert(const Card& card) {
  all().card = card;
  all().launches.clear();
  all().fault.clear();
  all().last = all().stuck = cudaSuccess;
  for (auto& [address, kernel] : all().kernels) kernel.dynamic_limit = 0;
}

const std::string& fault() { return all().fault; }
const std::vector<ptx::Asked>& launches() { return all().launches; }
std::size_t bytes_held() { return all().memory.bytes_held(); }

}  // namespace stand_in

struct CUevent_st {
  std::optional<Clock::time_point> at;
};

extern "C" {

// What nvcc's code for the host calls before main and at each launch.

void** __cudaRegisterFatBinary(void* wrapper) {
  all().files.push_back(std::make_unique<CompiledFile>());
  all().files.back()->ptx = ptx_in(wrapper);
  return reinterpret_cast<void**>(all().files.back().get());
}
void __cudaRegisterFatBinaryEnd(void** /*file*/) {}
void __cudaUnregisterFatBinary(void** /*file*/) {}

void __cudaRegisterFunction(void** file, const char* host, char* /*device*/,
                            const char* name, int /*threads*/, uint3* /*tid*/,
                            uint3* /*bid*/, dim3* /*block*/, dim3* /*grid*/,
                            int* /*warp*/) {
  all().kernels[host] = {.file = reinterpret_cast<CompiledFile*>(file),
                         .name = name};
}

unsigned __cudaPushCallConfiguration(dim3 grid, dim3 block,
                                     std::size_t dynamic_bytes,
                                     cudaStream_t stream) {
  all().configurations.push_back({grid, block, dynamic_bytes, stream});
  return 0;
}

cudaError_t __cudaPopCallConfiguration(dim3* grid, dim3* block,
                                       std::size_t* dynamic_bytes,
                                       void* stream) {
  const Configuration c = all().configurations.back();
  all().configurations.pop_back();
  *grid = c.grid;
  *block = c.block;
  *dynamic_bytes = c.dynamic_bytes;
  *static_cast<cudaStream_t*>(stream) = c.stream;
  return cudaSuccess;
}

cudaError_t __cudaGetKernel(cudaKernel_t* kernel, const void* host) {
  *kernel = reinterpret_cast<cudaKernel_t>(&all().kernels.at(host));
  return cudaSuccess;
}

cudaError_t __cudaLaunchKernel(cudaKernel_t kernel, dim3 grid, dim3 block,
                               void** arguments, std::size_t dynamic_bytes,
                               cudaStream_t stream) {
  return result(launch(*reinterpret_cast<const HostKernel*>(kernel),
                       {grid, block, dynamic_bytes, stream}, arguments));
}

cudaError_t cudaLaunchKernel(const void* host, dim3 grid, dim3 block,
                             void** arguments, std::size_t dynamic_bytes,
                             cudaStream_t stream) {
  return result(launch(all().kernels.at(host),
                       {grid, block, dynamic_bytes, stream}, arguments));
}

// The card.

cudaError_t cudaGetDeviceCount(int* count) {
  *count = all().card.driver ? all().card.count : 0;
  return result(presence());
}

cudaError_t cudaGetDeviceProperties(cudaDeviceProp* card, int /*number*/) {
  if (const cudaError_t gone = presence(); gone != cudaSuccess) {
    return result(gone);
  }
  *card = {};
  std::strcpy(card->name, "stand-in card");
  card->major = all().card.capability;
  card->totalGlobalMem = all().card.memory_bytes;
  card->sharedMemPerBlock = free_shared_bytes;
  card->sharedMemPerBlockOptin = most_shared_bytes;
  card->maxThreadsPerBlock = most_threads;
  const int block[] = {most_threads, most_threads, 64};
  const int grid[] = {0x7fffffff, 0xffff, 0xffff};
  std::copy(block, block + 3, card->maxThreadsDim);
  std::copy(grid, grid + 3, card->maxGridSize);
  return cudaSuccess;
}

cudaError_t cudaGetLastError() {
  const cudaError_t last = all().last;
  all().last = all().stuck;
  return last;
}

const char* cudaGetErrorString(cudaError_t error) {
  switch (error) {
    case cudaSuccess: return "no error";
    case cudaErrorMemoryAllocation: return "out of memory";
    case cudaErrorInvalidConfiguration: return "invalid configuration";
    case cudaErrorIllegalAddress: return "illegal memory access";
    case cudaErrorNoDevice: return "no device";
    case cudaErrorInsufficientDriver: return "insufficient driver";
    default: return "invalid value";
  }
}

cudaError_t cudaDeviceSynchronize() { return after_kernels(cudaSuccess); }

cudaError_t cudaFuncGetAttributes(cudaFuncAttributes* attributes,
                                  const void* host) {
  const ptx::Kernel& kernel = kernel_of(all().kernels.at(host));
  *attributes = {};
  attributes->sharedSizeBytes = kernel.shared_bytes;
  attributes->localSizeBytes = kernel.local_bytes;
  attributes->maxThreadsPerBlock = most_threads;
  return cudaSuccess;
}

cudaError_t cudaFuncSetAttribute(const void* host, cudaFuncAttribute which,
                                 int value) {
  HostKernel& kernel = all().kernels.at(host);
  const auto bytes = static_cast<std::size_t>(value);
  if (which != cudaFuncAttributeMaxDynamicSharedMemorySize || value < 0 ||
      bytes + kernel_of(kernel).shared_bytes > most_shared_bytes) {
    return result(cudaErrorInvalidValue);
  }
  kernel.dynamic_limit = bytes;
  return cudaSuccess;
}

// Memory.

cudaError_t cudaMalloc(void** begin, std::size_t bytes) {
  if (const cudaError_t error = after_kernels(cudaSuccess);
      error != cudaSuccess) {
    return error;
  }
  if (all().memory.bytes_held() + bytes > all().card.memory_bytes) {
    return result(cudaErrorMemoryAllocation);
  }
  *begin = all().memory.allocate(bytes);
  return cudaSuccess;
}

cudaError_t cudaFree(void* begin) {
  const bool known = begin == nullptr || all().memory.release(begin);
  return after_kernels(known ? cudaSuccess : cudaErrorInvalidValue);
}

cudaError_t cudaMemset(void* begin, int value, std::size_t bytes) {
  if (!all().card.fills || !held(begin, bytes)) {
    return result(cudaErrorInvalidValue);
  }
  std::memset(begin, value, bytes);
  return after_kernels(cudaSuccess);
}

cudaError_t cudaMemcpy(void* to, const void* from, std::size_t bytes,
                       cudaMemcpyKind kind) {
  if (!valid_copy(to, from, bytes, kind)) return result(cudaErrorInvalidValue);
  std::memcpy(to, from, bytes);
  return after_kernels(cudaSuccess);
}

cudaError_t cudaMemcpyAsync(void* to, const void* from, std::size_t bytes,
                            cudaMemcpyKind kind, cudaStream_t /*stream*/) {
  return cudaMemcpy(to, from, bytes, kind);
}

// Events are the host's times: kernels are done when a launch returns.

cudaError_t cudaEventCreate(cudaEvent_t* event) {
  *event = new CUevent_st();
  return cudaSuccess;
}

cudaError_t cudaEventDestroy(cudaEvent_t event) {
  delete event;
  return cudaSuccess;
}

cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t /*stream*/) {
  event->at = Clock::now();
  return cudaSuccess;
}

cudaError_t cudaEventSynchronize(cudaEvent_t /*event*/) {
  return after_kernels(cudaSuccess);
}

cudaError_t cudaEventElapsedTime(float* milliseconds, cudaEvent_t from,
                                 cudaEvent_t to) {
  if (!from->at || !to->at) return result(cudaErrorInvalidValue);
  *milliseconds =
      std::chrono::duration<float, std::milli>(*to->at - *from->at).count();
  return cudaSuccess;
}

}  // extern "C"
