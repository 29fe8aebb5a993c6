#include "memory_faults.hpp"

#include "device/cuda_source.hpp"

#include <vector>

namespace KERNEL_NAMESPACE {

using device::DeviceArray;
using device::launch;

namespace {

constexpr unsigned low_lanes = 0xffffu;
constexpr unsigned high_lanes = 0xffff0000u;

float not_shared = 5.0f;
const float constants[4] = {1.0f, 2.0f, 3.0f, 4.0f};

std::vector<float> ones(std::size_t count) {
  return std::vector<float>(count, 1.0f);
}

}  // namespace

__device__ int thread() { return static_cast<int>(threadIdx.x); }
__device__ int block() { return static_cast<int>(blockIdx.x); }

// Runs a kernel that writes to a buffer of 64 numbers.
template <class Kernel>
void run(const char* name, Kernel kernel, int blocks, int threads) {
  DeviceArray<float> out("out", ones(64));
  launch(name, kernel, {blocks, threads}, out.data());
}

__global__ void early_read(float* out) {
  __shared__ float tile[64];
  tile[thread()] = 1.0f;                    // writes the tile
  out[thread()] = tile[63 - thread()];      // reads it too early
}
void read_tile_too_early() { run("early_read", early_read, 1, 64); }

__global__ void early_overwrite(float* out) {
  __shared__ float tile[64];
  float sum = 0.0f;
  for (int step = 0; step < 3; ++step) {
    tile[thread()] = 1.0f;                  // overwrites the tile
    __syncthreads();
    sum += tile[63 - thread()];             // still reads it
  }
  out[thread()] = sum;
}
void overwrite_tile_too_early() {
  run("early_overwrite", early_overwrite, 1, 64);
}

__global__ void one_word(float* out) {
  __shared__ float total;
  total = 1.0f;                             // all write it
  __syncthreads();
  out[thread()] = total;
}
void write_one_word_all() { run("one_word", one_word, 1, 64); }

// A writer of either warp meets a reader of the other.
__global__ void two_readers(float* out) {
  __shared__ float flag;
  if (thread() == 0) flag = 1.0f;
  __syncthreads();
  if (thread() == 5 || thread() == 40) out[thread()] = flag;  // two read it
  if (thread() == 6) flag = 2.0f;           // one of a warp writes it
}
void write_what_two_warps_read() { run("two_readers", two_readers, 1, 64); }

__global__ void no_warp_barrier(float* out) {
  __shared__ float tile[32];
  tile[thread()] = 1.0f;                    // a lane writes
  out[thread()] = tile[thread() ^ 1];       // its neighbour reads
}
void lanes_without_barrier() { run("no_warp_barrier", no_warp_barrier, 1, 32); }

__global__ void halves_apart(float* out) {
  __shared__ float tile[32];
  tile[thread()] = 1.0f;                    // one half writes
  __syncwarp(thread() < 16 ? low_lanes : high_lanes);
  out[thread()] = tile[thread() ^ 16];      // the other reads
}
void halves_of_warp_apart() { run("halves_apart", halves_apart, 1, 32); }

__global__ void two_lines(float* out) {
  __shared__ float word;
  if (thread() == 0) word = 1.0f;
  __syncthreads();
  if (thread() == 1) out[1] = word;         // lane 1 reads
  __syncwarp();
  if (thread() == 2) out[2] = word;         // lane 2 reads
  if (thread() == 3) word = 2.0f;           // lane 3 writes
}
void lanes_read_at_two_lines() { run("two_lines", two_lines, 1, 32); }

__global__ void atomic_and_plain(float* out) {
  __shared__ float sum;
  if (thread() == 0) sum = 0.0f;            // the plain write
  atomicAdd(&sum, 1.0f);                    // the atomic one
  __syncthreads();
  out[thread()] = sum;
}
void atomics_beside_plain_write() {
  run("atomic_and_plain", atomic_and_plain, 1, 64);
}

__global__ void early_dynamic(float* out) {
  float* tile = dynamic_shared<float>();
  tile[thread()] = 1.0f;                    // writes dynamic memory
  out[thread()] = tile[63 - thread()];      // reads dynamic memory
}
void dynamic_tile_too_early() {
  DeviceArray<float> out("out", 64);
  launch("early_dynamic", early_dynamic, {1, 64, 256}, out.data());
}

__global__ void early_half(float* out) {
  __shared__ __nv_bfloat16 tile[64];
  tile[thread()] = __float2bfloat16(1.0f);  // writes two bytes
  out[thread()] = __bfloat162float(tile[thread() ^ 1]);  // reads the next two
}
void half_precision_neighbour_too_early() {
  run("early_half", early_half, 1, 64);
}

__global__ void one_sum(float* out) {
  if (thread() == 0) out[0] = out[0] + 1.0f;  // adds without an atomic
}
void blocks_add_to_one_word() { run("one_sum", one_sum, 4, 32); }

__global__ void next_block(float* out) {
  if (thread() != 0) return;
  out[block()] = 2.0f;                      // a block writes
  out[32 + block()] = out[(block() + 1) % 4];  // another reads
}
void block_reads_what_another_wrote() { run("next_block", next_block, 4, 32); }

__global__ void last_writes(float* out) {
  const float read = out[63];               // all blocks read
  if (block() < 3) out[block() * 4] = read;
  if (block() == 3 && thread() == 0) out[63] = 2.0f;  // one block writes
}
void block_writes_what_others_read() {
  run("last_writes", last_writes, 4, 1);
}

__global__ void exchange(float* out) {
  out[thread()] = 2.0f;                     // a thread writes
  __syncwarp();
  const float other = out[63 - thread()];   // a thread of another warp reads
  __syncthreads();
  out[thread()] = other;
}
void threads_exchange_through_buffer() { run("exchange", exchange, 1, 64); }

__global__ void mixed(float* out) {
  if (thread() != 0) return;
  if (block() == 2) {
    out[0] = 1.0f;                          // one block writes plainly
  } else {
    atomicAdd(out, 1.0f);                   // others atomically
  }
}
void blocks_mix_atomic_and_plain() { run("mixed", mixed, 4, 32); }

__global__ void unwritten_shared(float* out) {
  __shared__ float tile[64];
  if (thread() != 7) tile[thread()] = 1.0f;
  __syncthreads();
  out[thread()] = tile[63 - thread()];      // one word is unwritten
}
void read_unwritten_shared() {
  run("unwritten_shared", unwritten_shared, 1, 64);
}

__global__ void copy(const float* from, float* out) {
  out[thread()] = from[thread()];           // copies
}
void read_unwritten_buffer() {
  const DeviceArray<float> from("from", 64);
  DeviceArray<float> out("out", 64);
  launch("copy", copy, {1, 64}, from.data(), out.data());
}

__global__ void add_one(int* counts) {
  atomicAdd(&counts[thread() % 4], 1);      // adds to nothing
}
void add_to_unwritten() {
  DeviceArray<int> counts("counts", 4);
  launch("add_one", add_one, {1, 64}, counts.data());
}

// Blocks run one after another here, but not on a GPU.
__global__ void left_over(float* out) {
  __shared__ float kept;
  if (block() == 0 && thread() == 0) kept = 1.0f;
  __syncthreads();
  if (block() == 1 && thread() == 0) out[0] = kept;  // of another block
}
void read_what_last_block_left() { run("left_over", left_over, 2, 32); }

__global__ void partly_written(float* out, int count) {
  __shared__ float tile[64];
  if (thread() < count) tile[thread()] = out[thread()];
  __syncthreads();
  float sum = 0.0f;
  for (int i = 0; i < 64; ++i) sum += tile[i];  // also those past the count
  __syncthreads();
  out[thread()] = sum;
}
void read_partly_written_tile() {
  DeviceArray<float> out("out", ones(64));
  launch("partly_written", partly_written, {1, 64}, out.data(), 33);
}

__global__ void past_end(const float* from, float* out) {
  out[thread()] = from[thread()];           // from is shorter
}
void read_past_end() {
  const DeviceArray<float> from("from", ones(60));
  DeviceArray<float> out("out", 64);
  launch("past_end", past_end, {1, 64}, from.data(), out.data());
}

__global__ void write_end(float* out) {
  out[thread() + 1] = 1.0f;                 // the last one is too far
}
void write_past_end() { run("write_end", write_end, 1, 64); }

__global__ void before(const float* from, float* out) {
  out[thread()] = from[thread() - 1];       // the first one is too early
}
void read_before_beginning() {
  const DeviceArray<float> from("from", ones(64));
  DeviceArray<float> out("out", 64);
  launch("before", before, {1, 64}, from.data(), out.data());
}

__global__ void across(const float* from, float* out) {
  store4(out + 4 * thread(), load4(from + 4 * thread()));  // of six numbers
}
void read_vector_across_end() {
  const DeviceArray<float> from("from", ones(6));
  DeviceArray<float> out("out", 64);
  launch("across", across, {1, 2}, from.data(), out.data());
}

__global__ void read_from(const float* from, float* out) {
  out[thread()] = from[thread()];           // from nowhere
}
void read_null() {
  DeviceArray<float> out("out", 64);
  launch("read_from", read_from, {1, 64}, static_cast<const float*>(nullptr),
         out.data());
}

__global__ void write_to(float* out) {
  out[thread()] = 1.0f;                     // to nowhere
}
void write_null() {
  launch("write_to", write_to, {1, 64}, static_cast<float*>(nullptr));
}

void read_host_memory() {
  const std::vector<float> from = ones(64);
  DeviceArray<float> out("out", 64);
  launch("read_from", read_from, {1, 64}, from.data(), out.data());
}

void read_removed_buffer() {
  const float* gone = nullptr;
  {
    const DeviceArray<float> from("from", ones(64));
    gone = from.data();
  }
  launch("read_from", read_from, {1, 64}, gone, static_cast<float*>(nullptr));
}

void write_host_variable() {
  launch("write_to", write_to, {1, 64}, &not_shared);
}

__global__ void past_dynamic(float* out) {
  float* tile = dynamic_shared<float>();
  tile[thread()] = 1.0f;                    // the 64th does not fit
  __syncthreads();
  if (thread() < 63) out[thread()] = tile[thread()];
}
void write_past_dynamic_shared() {
  DeviceArray<float> out("out", 64);
  launch("past_dynamic", past_dynamic, {1, 64, 63 * sizeof(float)},
         out.data());
}

void write_constant() {
  launch("write_to", write_to, {1, 4}, const_cast<float*>(constants));
}

__global__ void misaligned(float* out) {
  store4(out + 4 * thread(), load4(out + 1));  // 4 bytes past
}
void read_vector_misaligned() { run("misaligned", misaligned, 1, 1); }

__global__ void warp_exchange(float* out) {
  __shared__ float tile[64];
  const int warp = thread() / 32 * 32;
  float sum = 1.0f;
  for (int distance = 1; distance < 32; distance *= 2) {
    tile[thread()] = sum;
    __syncwarp();
    sum += tile[warp + ((thread() + distance) % 32)];
    __syncwarp();
  }
  out[thread()] = sum;
}
void warp_exchanges_with_barriers() {
  run("warp_exchange", warp_exchange, 1, 64);
}

__global__ void own_halves(float* out) {
  __shared__ float tile[32];
  const unsigned mine = thread() < 16 ? low_lanes : high_lanes;
  for (int step = 0; step < 3; ++step) {
    tile[thread()] = static_cast<float>(step);
    __syncwarp(mine);
    out[thread()] = tile[thread() ^ 1];
    __syncwarp(mine);
  }
}
void halves_of_warp_on_their_own() { run("own_halves", own_halves, 1, 32); }

// Lane 0 meets lane 1, which then meets lane 2: what lane 0 did is before what
// lane 2 does.
__global__ void chain(float* out) {
  __shared__ float word;
  if (thread() == 0) word = 1.0f;
  if (thread() < 2) __syncwarp(3u);
  if (thread() == 1 || thread() == 2) __syncwarp(6u);
  if (thread() == 2) {
    out[0] = word;
    word = 2.0f;
  }
}
void chain_of_lane_barriers() { run("chain", chain, 1, 3); }

__global__ void two_tiles(float* out) {
  __shared__ float tile[2][64];
  float sum = 0.0f;
  for (int step = 0; step < 5; ++step) {
    tile[step % 2][thread()] = static_cast<float>(step);
    __syncthreads();
    sum += tile[step % 2][63 - thread()];
  }
  out[thread()] = sum;
}
void two_tiles_in_turn() { run("two_tiles", two_tiles, 1, 64); }

__global__ void in_turn(float* out) {
  __shared__ float tile[16];
  tile[thread()] = 1.0f;
  __syncthreads();
  out[block() * 16 + thread()] = tile[15 - thread()];
}
void blocks_use_shared_in_turn() { run("in_turn", in_turn, 4, 16); }

__global__ void half_neighbours(__nv_bfloat16* halves, float* out) {
  __shared__ __nv_bfloat16 tile[64];
  tile[thread()] = __float2bfloat16(1.0f);
  halves[thread()] = tile[thread()];
  out[thread()] = __bfloat162float(halves[thread()]);
}
void half_precision_neighbours() {
  DeviceArray<__nv_bfloat16> halves("halves", 64);
  DeviceArray<float> out("out", 64);
  launch("half_neighbours", half_neighbours, {1, 64}, halves.data(),
         out.data());
}

__global__ void one_byte_each(float* out) {
  __shared__ unsigned char flags[64];
  flags[thread()] = 1;
  out[thread()] = static_cast<float>(flags[thread()]);
}
void bytes_of_one_word() { run("one_byte_each", one_byte_each, 1, 64); }

__global__ void all_add(float* out) {
  __shared__ float sum;
  if (thread() == 0) sum = 0.0f;
  __syncthreads();
  atomicAdd(&sum, 1.0f);
  __syncthreads();
  if (thread() == 0) atomicAdd(out, sum);
}
void atomics_of_all_blocks() { run("all_add", all_add, 4, 64); }

void next_launch_reads_the_last() {
  DeviceArray<float> first("first", 64);
  DeviceArray<float> second("second", 64);
  launch("write_64", in_turn, {4, 16}, first.data());
  launch("copy", copy, {1, 64}, first.data(), second.data());
  launch("copy", copy, {1, 64}, second.data(), first.data());
}

__global__ void broadcast(const float* from, float* out) {
  __shared__ float word;
  if (thread() == 0) word = from[0];
  __syncthreads();
  out[block() * 32 + thread()] = word + from[0] + from[1];
}
void everyone_reads_one_word() {
  const DeviceArray<float> from("from", ones(2));
  DeviceArray<float> out("out", 64);
  launch("broadcast", broadcast, {2, 32}, from.data(), out.data());
}

__global__ void again(float* out) {
  for (int step = 0; step < 4; ++step) out[thread()] += 1.0f;
}
void one_thread_writes_again() { run("again", again, 1, 64); }

__device__ float last_of(const float* numbers, int count) {
  return numbers[count - 1];
}

__global__ void on_stack(float* out) {
  float numbers[8];
  for (int i = 0; i < 8; ++i) numbers[i] = static_cast<float>(i * thread());
  out[thread()] = last_of(numbers, 1 + thread() % 8);
}
void numbers_on_the_stack() { run("on_stack", on_stack, 1, 64); }

__global__ void from_constant(float* out) {
  static const float table[4] = {1.0f, 2.0f, 3.0f, 4.0f};
  out[thread()] = table[thread() % 4];
}
void numbers_in_a_constant() { run("from_constant", from_constant, 1, 64); }

template <int size>
__device__ float reversed_through_tile(float number) {
  __shared__ float tile[size];
  tile[thread()] = number;
  __syncthreads();
  return tile[size - 1 - thread()];
}

__global__ void in_function(float* out) {
  out[thread()] = reversed_through_tile<64>(out[thread()]);
}
void shared_in_device_function() { run("in_function", in_function, 1, 64); }

void part_written_by_host() {
  DeviceArray<float> out("out", 64);
  out.set_to_zero();
  launch("again", again, {1, 64}, out.data());
}

float host_variable() { return not_shared; }

}  // namespace KERNEL_NAMESPACE
