#include "diagnose/replace_file.hpp"

#include "diagnose/tensor_problem.hpp"

#include <fstream>

#include <unistd.h>

namespace diagnose {
namespace {

namespace fs = std::filesystem;

// Gone at the end of the scope, unless it has been moved away.
struct FileBeside {
  explicit FileBeside(const fs::path& path)
      : name(path.string() + fmt::format(".new-{}", getpid())) {}
  FileBeside(const FileBeside&) = delete;
  FileBeside& operator=(const FileBeside&) = delete;
  ~FileBeside() {
    std::error_code ignored;
    fs::remove(name, ignored);
  }
  fs::path name;
};

}  // namespace

void replace_file_by_name(const fs::path& path,
                          const std::function<void(const fs::path&)>& write) {
  const FileBeside fresh(path);
  write(fresh.name);
  std::error_code refused;
  fs::rename(fresh.name, path, refused);
  if (refused) {
    fail(printable(path.string()), "cannot be written: {}; choose another name",
         refused.message());
  }
}

void replace_file(const fs::path& path,
                  const std::function<void(std::ostream&)>& write) {
  replace_file_by_name(path, [&](const fs::path& fresh) {
    std::ofstream file(fresh, std::ios::binary);
    write(file);
    file.close();
    if (!file) {
      fail(printable(path.string()),
           "cannot be written; see whether its folder is there and yours, and "
           "the disk has room");
    }
  });
}

}  // namespace diagnose
