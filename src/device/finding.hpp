#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace device {

/// What the CPU device can find wrong with a kernel.
enum class FindingKind {
  shared_race,            ///< two threads, one shared word, no barrier
  global_race,            ///< two threads or blocks, one word of a buffer
  out_of_range,           ///< an access that begins or ends outside its buffer
  uninitialised_read,     ///< a word that nobody wrote
  barrier_not_reached,    ///< some threads wait at a barrier, others have ended
  different_barriers,     ///< the threads wait at barriers of different lines
  warp_barrier,           ///< lanes named in a mask that do not take part
  launch_over_limit,      ///< a launch that no GPU of the stated limits takes
  misaligned              ///< a vector at an address that is no multiple of it
};

/// A place in a kernel's source.
struct SourceLine {
  std::string file;  ///< as the compiler wrote it, without folders
  int line = 0;      ///< 1 is the first; 0: unknown
};

/// Somebody who did something: a thread of a block, at a line.
struct Actor {
  std::int64_t block = 0;  ///< linear: x + width (y + height z)
  int thread = 0;          ///< linear within its block
  bool writes = false;     ///< of an access: whether it writes
  bool atomic = false;     ///< of an access: whether it is atomic
  SourceLine at;
};

/// One thing found wrong. Of many alike (one kind, one pair of lines) only the
/// first is kept, and counted.
struct Finding {
  FindingKind kind = FindingKind::shared_race;
  std::string kernel;           ///< the kernel's name
  std::string memory;           ///< the shared variable's or the buffer's name
  std::int64_t element = 0;     ///< its number, in elements of the memory
  std::vector<Actor> actors;    ///< the later one first
  std::int64_t count = 1;       ///< how often
  std::string text;             ///< one line that says it
};

}  // namespace device
