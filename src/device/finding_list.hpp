#pragma once

#include "device/finding.hpp"

#include <cstdint>
#include <map>
#include <string>
#include <tuple>
#include <vector>

namespace device {

/// Findings, one for each kind, memory and pair of lines.
class FindingList {
 public:
  /// What tells findings apart without a look at their lines: kind, memory,
  /// and the places in the code. 0 where there is none.
  using Key = std::tuple<FindingKind, const void*, std::uint16_t,
                         std::uint16_t>;

  /// Keys of earlier launches mean nothing any more.
  void launch_begins();
  /// Counts a finding that is there; false where there is none.
  bool count_again(const Key& key);
  /// Adds one, or counts it where one of the same lines is there.
  void add(const Key& key, Finding finding);
  std::vector<Finding> take();

 private:
  std::vector<Finding> all_;
  std::map<Key, std::size_t> index_;
};

/// "thread 3 (block 0)"
std::string name_of(const Actor& actor);
/// "kernels.cu:41"
std::string name_of(const SourceLine& line);
/// "reads", "writes" or "changes atomically"
std::string does(const Actor& actor);

}  // namespace device
