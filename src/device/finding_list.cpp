#include "device/finding_list.hpp"

#include <algorithm>
#include <utility>

namespace device {
namespace {

std::vector<std::pair<std::string, int>> lines_of(const Finding& finding) {
  std::vector<std::pair<std::string, int>> lines;
  for (const Actor& actor : finding.actors) {
    lines.emplace_back(actor.at.file, actor.at.line);
  }
  std::sort(lines.begin(), lines.end());
  return lines;
}

bool alike(const Finding& a, const Finding& b) {
  return a.kind == b.kind && a.kernel == b.kernel && a.memory == b.memory &&
         lines_of(a) == lines_of(b);
}

}  // namespace

bool FindingList::count_again(const Key& key) {
  const auto found = index_.find(key);
  if (found == index_.end()) return false;
  ++all_[found->second].count;
  return true;
}

void FindingList::add(const Key& key, Finding finding) {
  const auto same = std::find_if(
      all_.begin(), all_.end(),
      [&finding](const Finding& one) { return alike(one, finding); });
  index_[key] = static_cast<std::size_t>(same - all_.begin());
  if (same == all_.end()) {
    all_.push_back(std::move(finding));
  } else {
    ++same->count;
  }
}

void FindingList::launch_begins() { index_.clear(); }

std::vector<Finding> FindingList::take() {
  index_.clear();
  return std::exchange(all_, {});
}

std::string name_of(const Actor& actor) {
  return "thread " + std::to_string(actor.thread) + " (block " +
         std::to_string(actor.block) + ")";
}

std::string name_of(const SourceLine& line) {
  if (line.line == 0) return "a line that is not known";
  return line.file + ":" + std::to_string(line.line);
}

std::string does(const Actor& actor) {
  if (actor.atomic) return "atomically changes";
  return actor.writes ? "writes" : "reads";
}

}  // namespace device
