// Kernels that touch memory wrongly, each with one fault, and kernels that look
// like them and are right.
#pragma once

namespace on_cpu_device {

// Races in shared memory.
void read_tile_too_early();
void overwrite_tile_too_early();
void write_one_word_all();
void write_what_two_warps_read();
void lanes_without_barrier();
void halves_of_warp_apart();
void lanes_read_at_two_lines();
void atomics_beside_plain_write();
void dynamic_tile_too_early();
void half_precision_neighbour_too_early();
// Races in global memory.
void blocks_add_to_one_word();
void block_reads_what_another_wrote();
void block_writes_what_others_read();
void threads_exchange_through_buffer();
void blocks_mix_atomic_and_plain();
// Words that nobody wrote.
void read_unwritten_shared();
void read_unwritten_buffer();
void add_to_unwritten();
void read_what_last_block_left();
void read_partly_written_tile();
// Out of range.
void read_past_end();
void write_past_end();
void read_before_beginning();
void read_vector_across_end();
void read_null();
void write_null();
void read_host_memory();
void read_removed_buffer();
void write_host_variable();
float host_variable();  // which is 5
void write_past_dynamic_shared();
void write_constant();
// Misaligned.
void read_vector_misaligned();

// Right ones.
void warp_exchanges_with_barriers();
void halves_of_warp_on_their_own();
void chain_of_lane_barriers();
void two_tiles_in_turn();
void blocks_use_shared_in_turn();
void half_precision_neighbours();
void bytes_of_one_word();
void atomics_of_all_blocks();
void next_launch_reads_the_last();
void everyone_reads_one_word();
void one_thread_writes_again();
void numbers_on_the_stack();
void numbers_in_a_constant();
void shared_in_device_function();
void part_written_by_host();

}  // namespace on_cpu_device
