// Small kernels, each with one fault in its barriers, shuffles or launch.
#pragma once

#include "device/launch_shape.hpp"

#define FAULTY_KERNELS                                  \
  void leave_before_barrier(int threads, int staying);  \
  void wait_at_different_barriers();                    \
  void wait_for_lane_at_block_barrier();                \
  void wait_with_different_masks();                     \
  void shuffle_outside_of_mask();                       \
  void shuffle_from_ended_lane();                       \
  void shuffle_from_unnamed_lane();                     \
  void shuffle_at_two_lines();                          \
  void wait_in_warp_and_end();                          \
  void shuffle_in_parts_of(int width);                  \
  void fault_in_second_block(int* blocks_begun);        \
  void empty_launch(const device::LaunchShape& shape);  \
  void share_both_ways(std::size_t dynamic_bytes);      \
  void wait_in_loop_for_neighbour();                    \
  int spread_of_unguarded_counter();

namespace on_cpu_device {
FAULTY_KERNELS
void call_itself_without_end();
}
#ifdef MHA_GPU
namespace on_gpu {
FAULTY_KERNELS
}
#endif
