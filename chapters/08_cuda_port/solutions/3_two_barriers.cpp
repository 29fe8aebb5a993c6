// Solution 8.3: Now and then
//
// The first barrier says that the tile is complete. Nothing said that it is no
// longer needed. A thread that is ahead writes the next key over one that a
// slower thread has yet to read. On a card where both warps happen to go in
// step the numbers come out right, which is why only a checker, or another
// card, finds it.
#include "exercise/device_exercise.hpp"

namespace on_cpu_device {

__global__ void add_products(const float* q, const float* k, int keys,
                             float* out) {
  __shared__ float tile[64];
  const int me = static_cast<int>(threadIdx.x);
  float sum = 0;
  for (int first = 0; first < keys; first += 64) {
    tile[me] = first + me < keys ? k[first + me] : 0;
    __syncthreads();
    for (const float key : tile) sum += q[me] * key;
    __syncthreads();
  }
  out[me] = sum;
}

}  // namespace on_cpu_device
