#include "diagnose/tensor_names.hpp"

#include "diagnose/tensor_problem.hpp"

#include <map>

namespace diagnose {
namespace {

namespace fs = std::filesystem;

// The path's last parts from the top, "mine" and "q" of a/mine/q.npy, joined:
// the file's name, and `folders` of those it is in. Fewer if it has no more.
std::string last_parts(const fs::path& path, std::size_t folders) {
  fs::path name = path.stem();
  fs::path folder = path.parent_path();
  for (std::size_t i = 0; i < folders && folder.has_filename(); ++i) {
    name = folder.filename() / name;
    folder = folder.parent_path();
  }
  return name.generic_string();
}

std::size_t count_folders(const fs::path& path) {
  std::size_t count = 0;
  for (fs::path folder = path.parent_path(); folder.has_filename();
       folder = folder.parent_path()) {
    ++count;
  }
  return count;
}

}  // namespace

std::vector<std::string> tensor_names(const std::vector<fs::path>& paths) {
  std::vector<fs::path> places;
  std::size_t most_folders = 0;
  for (const fs::path& path : paths) {
    std::error_code refused;
    const fs::path whole = fs::absolute(path, refused).lexically_normal();
    places.push_back(refused ? path : whole);
    most_folders = std::max(most_folders, count_folders(places.back()));
  }
  std::vector<std::string> names(paths.size());
  std::vector<std::size_t> folders(paths.size(), 0);
  // Names that are still alike get one folder more, in each round.
  for (std::size_t round = 0; round <= most_folders; ++round) {
    std::map<std::string, std::size_t> uses;
    for (std::size_t i = 0; i < paths.size(); ++i) {
      names[i] = last_parts(places[i], folders[i]);
      ++uses[names[i]];
    }
    if (uses.size() == paths.size()) return names;
    for (std::size_t i = 0; i < paths.size(); ++i) {
      if (uses[names[i]] > 1) ++folders[i];
    }
  }
  std::map<std::string, std::size_t> uses;
  for (std::size_t i = 0; i < paths.size(); ++i) {
    if (++uses[names[i]] > 1) {
      fail(printable(paths[i].string()), "is given twice; leave one out");
    }
  }
  return names;
}

}  // namespace diagnose
