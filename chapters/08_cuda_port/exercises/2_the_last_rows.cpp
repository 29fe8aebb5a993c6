// Exercise 8.2: The last rows
// kind: implement
// difficulty: 2
// section: tiles-in-shared-memory
// check: every row is summed, whatever their number
//
// `sum_rows` writes the sum of each row of a table to `out`. A warp has a row:
// its 32 lanes add up every 32nd number, and then add their sums by shuffles. A
// block has four warps: `threadIdx.x` is the lane, `threadIdx.y` the warp.
//
// It was written for 128 rows of 64 numbers, and right for those. Make it right
// for any number of rows and columns from 1 on: the launch in `row_sums`, and
// the kernel. Nothing may be read or written outside the table and `out`.
//
// hint: For 5 rows, how many blocks of four warps does it take? A division
//   that rounds down gives one too few.
// hint: (rows + 3) / 4 blocks. Now the last block may have warps without a row:
//   they must not touch the table. A whole warp may return; its lanes agree.
// hint: In a row with 20 numbers, lane 31 has none to add. Let each lane ask
//   whether its column is there, in place of counting rounds. All lanes must
//   reach the shuffles, so none may return in the loop.
#include "exercise/device_exercise.hpp"

namespace on_cpu_device {

__global__ void sum_rows(const float* table, std::int64_t rows,
                         std::int64_t columns, float* out) {
  const std::int64_t row =
      static_cast<std::int64_t>(blockIdx.x) * 4 + threadIdx.y;
  float sum = 0;
  for (int round = 0; round < columns / 32; ++round) {
    sum += table[row * columns + 32 * round + threadIdx.x];
  }
  for (int apart = 16; apart > 0; apart /= 2) {
    sum += __shfl_xor_sync(0xffffffffU, sum, apart);
  }
  if (threadIdx.x == 0) out[row] = sum;
}

// table: (rows, columns) on the device; out: (rows).
void row_sums(const float* table, std::int64_t rows, std::int64_t columns,
              float* out) {
  device::launch("sum_rows", sum_rows,
                 device::LaunchShape{{rows / 4}, {32, 4}}, table, rows,
                 columns, out);
}

}  // namespace on_cpu_device
