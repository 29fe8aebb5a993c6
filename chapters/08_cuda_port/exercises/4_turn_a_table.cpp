// Exercise 8.4: Turn a table over
// kind: prove or measure
// difficulty: 3
// section: tiles-in-shared-memory
// check: no request is wider than it must be
//
// `turn_over` writes a table of 64 x 64 floats with rows and columns
// exchanged. It is right. But its stores are spread: each warp's request
// touches 32 segments where 4 would do. Whichever way round the threads are
// numbered, either loads or stores are spread.
//
// Make it move no more than it must: 4 segments a request for loads and for
// stores. Use shared memory, in which threads may exchange what they hold; and
// no request to shared memory may wait for a bank (one pass each).
//
// A block has 32 x 8 threads, and there are 2 x 2 blocks. You may change
// the kernel, not the launch.
//
// hint: Which threads should read neighbours, and which should write
//   neighbours? Must a thread write what it has read?
// hint: Load a square of 32 x 32 into shared memory, row by row, neighbouring
//   lanes from neighbouring columns. Barrier. Then write it out row by row of
//   the result, reading the square by columns. Each thread has four rows
//   of the square: threadIdx.y, and 8, 16 and 24 behind it. The block that
//   loads the square (blockIdx.y, blockIdx.x) writes (blockIdx.x, blockIdx.y).
// hint: A column of a square with 32 columns lies in one bank. Give it 33.
#include "exercise/device_exercise.hpp"

namespace on_cpu_device {

__global__ void turn_over(const float* from, float* to) {
  const int x = static_cast<int>(blockIdx.x * 32 + threadIdx.x);
  for (int r = 0; r < 32; r += 8) {
    const int y = static_cast<int>(blockIdx.y * 32 + threadIdx.y) + r;
    to[x * 64 + y] = from[y * 64 + x];
  }
}

}  // namespace on_cpu_device
