#include "model_files.hpp"
#include "pieces.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <cstring>
#include <functional>

namespace {

// [one line]
using mha::Index;

// Whether the work ends in one short line that holds these words.
bool refused(const std::function<void()>& work, const std::string& words) {
  try {
    work();
    return false;
  } catch (const trained::ModelProblem& problem) {
    const std::string said = problem.what();
    return said.find(words) != std::string::npos && said.size() < 500 &&
           said.find('\n') == std::string::npos;
  }
}

std::string manifest(const std::string& paths, const std::string& weights) {
  return R"({"weightsManifest": [{"paths": )" + paths + R"(, "weights": )" +
         weights + "}]}";
}
// [one line]

}  // namespace

TEST_CASE("a broken manifest is refused in one line") {
  const auto reads = [](const std::string& text) {
    return [text] { trained::read_manifest(text); };
  };
  const std::string none = "[]", one = R"(["a.bin"])";
  CHECK(refused(reads(""), "is not JSON"));
  CHECK(refused(reads("{}"), "no \"weightsManifest\""));
  CHECK(refused(reads(std::string(100'000, '[')), "nested"));
  CHECK(refused(reads(std::string(2 << 20, ' ')), "more than 1048576 bytes"));
  CHECK(refused(reads(manifest(R"(["../../etc/passwd"])", none)),
                "no plain name"));
  CHECK(refused(reads(manifest(R"(["a", "a"])", none)), "twice"));
  const auto shape = [&](const char* sizes) {
    return manifest(one, R"([{"name": "w", "dtype": "float32", "shape": )" +
                             std::string(sizes) + "}]");
  };
  CHECK(refused(reads(shape("[-1]")), "not a whole number"));
  CHECK(refused(reads(shape("[1.5]")), "not a whole number"));
  CHECK(refused(reads(shape("[67108864, 67108864, 67108864]")),
                "more than 67108864 bytes"));
  CHECK(refused(reads(shape("[1,1,1,1,1,1,1,1,1]")), "9 dimensions"));
  CHECK(refused(reads(manifest(one, R"([{"name": "w\n", "dtype": "half",
                                         "shape": []}])")),
                "w? has numbers of type half"));
}

TEST_CASE("weights that do not fit the manifest are refused in one line") {
  const auto files = [](const char* shape, std::size_t bytes) {
    return trained::ModelFiles(
        trained::read_manifest(manifest(
            R"(["a.bin"])",
            R"([{"name": "w", "dtype": "float32", "shape": )" +
                std::string(shape) + "}]")),
        std::string(bytes, '\0'));
  };
  CHECK(files("[2, 3]", 24).matrix("w", 2, 3).rows() == 2);
  CHECK(files("[1, 1, 2, 3]", 24).matrix("w", 2, 3).cols() == 3);
  CHECK(refused([&] { files("[2, 3]", 23); }, "23 bytes"));
  CHECK(refused([&] { files("[2, 3]", 24).matrix("w", 3, 2); },
                "does not have 2 columns"));
  CHECK(refused([&] { files("[2, 3]", 24).matrix("v", 2, 3); }, "has no v"));
  CHECK(refused([&] { files("[0, 3]", 0).rows_of("w", 3); }, "w"));
  const float nan = std::nanf("");
  std::string bytes(24, '\0');
  std::memcpy(bytes.data() + 8, &nan, 4);
  CHECK(refused([&] {
          trained::ModelFiles(
              trained::read_manifest(manifest(
                  R"(["a.bin"])",
                  R"([{"name": "w", "dtype": "float32", "shape": [2, 3]}])")),
              bytes).matrix("w", 2, 3);
        }, "not finite"));
}

TEST_CASE("a broken vocabulary is refused in one line") {
  const auto reads = [](const std::string& text) {
    return [text] { trained::read_vocabulary(text); };
  };
  const std::string six = R"(["a", 0],["a", 0],["a", 0],["a", 0],["a", 0],)"
                          R"(["a", 0],)";
  CHECK(trained::read_vocabulary("[" + six + R"(["b", -1]])").size() == 7);
  // Seven pieces of the published file have null; it counts as 0 there.
  CHECK(trained::read_vocabulary("[" + six + R"([":", null]])")
            .log_probability(6) == 0);
  CHECK(refused(reads("[]"), "no list"));
  CHECK(refused(reads("[" + six + R"(["b"]])"), "entry 6"));
  CHECK(refused(reads("[" + six + R"([1, "b"]])"), "entry 6"));
  CHECK(refused(reads("[" + six + R"(["", -1]])"), "piece 6 is empty"));
  CHECK(refused(reads("[" + six + R"(["\ud800", -1]])"), "is not JSON"));
}
