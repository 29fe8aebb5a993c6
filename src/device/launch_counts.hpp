#pragma once

#include "device/finding.hpp"

#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace device {

/// Traffic of one kind of memory. A request is what one warp does in one
/// instruction: its lanes' accesses with the same place in the source that are
/// the same one in order (the third time round a loop, say).
struct Traffic {
  std::int64_t loads = 0;         ///< by threads
  std::int64_t stores = 0;        ///< by threads
  std::int64_t bytes_loaded = 0;
  std::int64_t bytes_stored = 0;
  std::int64_t load_requests = 0;   ///< by warps
  std::int64_t store_requests = 0;  ///< by warps
  std::int64_t load_segments = 0;   ///< global: distinct 32-byte segments
  std::int64_t store_segments = 0;
  std::int64_t bank_passes = 0;     ///< shared: passes that requests take

  Traffic& operator+=(const Traffic& other);
};

/// One request, to show what a warp touches: of all with most lanes the first.
struct Sample {
  std::string memory;      ///< the buffer's or the shared variable's name
  bool shared = false;
  bool writes = false;     ///< atomic accesses too
  std::int64_t bytes = 0;  ///< of each lane
  /// By lane: bytes from the memory's beginning; -1: takes no part.
  std::array<std::int64_t, 32> offsets{};
};

/// What one line of a kernel did in a launch.
struct LineCounts {
  SourceLine at;
  Traffic global;
  Traffic shared;
  std::vector<Sample> samples;  ///< one for each access in the line
};

/// What one launch did.
struct LaunchCounts {
  std::string kernel;
  Traffic global;
  Traffic shared;
  std::int64_t blocks = 0;
  std::int64_t threads_per_block = 0;
  std::int64_t barriers = 0;          ///< __syncthreads passed, by blocks
  std::int64_t static_shared_bytes = 0;   ///< of variables that were touched
  std::int64_t dynamic_shared_bytes = 0;  ///< of the launch
  bool requests_exact = true;         ///< false: some were counted as several
  std::vector<LineCounts> lines;      ///< by file and line
};

}  // namespace device
