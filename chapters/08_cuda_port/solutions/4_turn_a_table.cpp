// Solution 8.4: Turn a table over
//
// A transposition exchanges who is next to whom, so one of its two sides is
// spread when it goes straight from global memory to global memory. Shared
// memory takes the exchange: there it costs nothing, as long as a column does
// not lie in one bank, and 33 numbers a row see to that, since 33 and 32 have
// no common factor.
#include "exercise/device_exercise.hpp"

namespace on_cpu_device {

__global__ void turn_over(const float* from, float* to) {
  __shared__ float square[32][33];
  const int x = static_cast<int>(threadIdx.x);
  const int across = static_cast<int>(blockIdx.x) * 32;
  const int down = static_cast<int>(blockIdx.y) * 32;
  for (int y = static_cast<int>(threadIdx.y); y < 32; y += 8) {
    square[y][x] = from[(down + y) * 64 + across + x];
  }
  __syncthreads();
  for (int y = static_cast<int>(threadIdx.y); y < 32; y += 8) {
    to[(across + y) * 64 + down + x] = square[x][y];
  }
}

}  // namespace on_cpu_device
