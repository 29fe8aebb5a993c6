// Kernels of one warp or a few whose traffic can be worked out by hand. Each
// reads `from` and writes `to`, both of 4096 numbers that begin at a segment.
#pragma once

namespace on_cpu_device {

void count_side_by_side();    // 4 blocks of 64 threads
void count_apart(int step);   // one warp, numbers so far apart
void count_shifted();         // one warp, from the second number on
void count_one_for_all();     // one warp, one number
void count_vectors();         // one warp, 4 numbers each
void count_in_banks(int step);  // one warp, a word each in shared memory
void count_vectors_in_banks();  // one warp, 4 words each in shared memory
void count_loop();            // one warp, 10 rounds down a column of 32
void count_divergent();       // one warp, lane t does t rounds
void count_atomics();         // one warp, 2 words of shared memory
void count_whole_structures();  // one warp, 12 bytes each, copied whole

}  // namespace on_cpu_device
