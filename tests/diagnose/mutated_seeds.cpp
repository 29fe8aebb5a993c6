// mutated_seeds ROUNDS FOLDER...: where there is no libFuzzer, gives the fuzzed
// function every file of the folders, and ROUNDS times each with some of its
// bytes changed, always the same ones.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <string>
#include <vector>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data,
                                      std::size_t size);

namespace {

namespace fs = std::filesystem;

using Bytes = std::vector<std::uint8_t>;

Bytes read_bytes(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

std::vector<fs::path> files_in(const fs::path& folder) {
  std::vector<fs::path> files;
  for (const auto& entry : fs::directory_iterator(folder)) {
    files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  return files;
}

// Below `limit`; that some numbers are a little likelier does not matter here.
std::size_t below(std::size_t limit, std::mt19937_64& random) {
  return static_cast<std::size_t>(random() % std::max<std::size_t>(limit, 1));
}

// Sets, removes or repeats a few bytes, or cuts the end.
Bytes mutated(Bytes bytes, std::mt19937_64& random) {
  constexpr std::uint8_t telling[] = {0, 1, 0x7f, 0x80, 0xff, '"', '0', '9'};
  for (std::size_t changes = 1 + below(4, random); changes > 0; --changes) {
    if (bytes.empty()) return bytes;
    const std::size_t place = below(bytes.size(), random);
    const auto at = bytes.begin() + static_cast<std::ptrdiff_t>(place);
    switch (below(6, random)) {
      case 0: *at = static_cast<std::uint8_t>(random()); break;
      case 1: *at = telling[below(std::size(telling), random)]; break;
      case 2: *at ^= static_cast<std::uint8_t>(1u << below(8, random)); break;
      case 3: bytes.erase(at); break;
      case 4: bytes.insert(at, *at); break;
      default: bytes.resize(place); break;
    }
  }
  return bytes;
}

std::size_t run_seed(const fs::path& path, std::size_t rounds) {
  const Bytes seed = read_bytes(path);
  LLVMFuzzerTestOneInput(seed.data(), seed.size());
  std::mt19937_64 random(seed.size());
  for (std::size_t i = 0; i < rounds; ++i) {
    const Bytes input = mutated(seed, random);
    LLVMFuzzerTestOneInput(input.data(), input.size());
  }
  return 1 + rounds;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    std::size_t inputs = 0;
    for (int i = 2; i < argc; ++i) {
      for (const fs::path& path : files_in(argv[i])) {
        inputs += run_seed(path, std::stoul(argv[1]));
      }
    }
    std::printf("%zu inputs were read or refused\n", inputs);
    return inputs > 0 ? 0 : 1;
  } catch (const std::exception& problem) {
    std::fprintf(stderr, "mutated_seeds: %s\n", problem.what());
    return 1;
  }
}
