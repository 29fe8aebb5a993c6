// Exercise 8.3: Now and then
// kind: find the bug
// difficulty: 2
// section: tiles-in-shared-memory
// check: no schedule finds a race or a wrong number
//
// The kernel adds up, for each of 64 queries, the products with all keys. A
// block of 64 threads loads 64 keys at a time into shared memory; each thread
// then goes through them with its own query. Keys and queries have one column.
//
// On the card where it was written it gave the right numbers, every time. On
// the next one it did not, now and then. Find what is wrong and mend it. The
// number of keys need not be a multiple of 64.
//
// hint: Play two threads in your head, and let one of them be slow.
// hint: It goes on to the next round and loads a key over one that the other
//   has not read yet.
// hint: One more __syncthreads(), at the end of the loop's body, where every
//   thread of the block comes by.
#include "exercise/device_exercise.hpp"

namespace on_cpu_device {

// q: (64), k: (keys), out: (64). One block of 64 threads.
__global__ void add_products(const float* q, const float* k, int keys,
                             float* out) {
  __shared__ float tile[64];
  const int me = static_cast<int>(threadIdx.x);
  float sum = 0;
  for (int first = 0; first < keys; first += 64) {
    tile[me] = first + me < keys ? k[first + me] : 0;
    __syncthreads();
    for (const float key : tile) sum += q[me] * key;
  }
  out[me] = sum;
}

}  // namespace on_cpu_device
