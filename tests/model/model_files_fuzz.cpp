// Any bytes at all, as a manifest with weights, as a vocabulary with a text, are
// either read, or refused in one line: no crash, no other exception, no memory
// that the input does not account for. libFuzzer calls this, or
// tests/diagnose/mutated_seeds.cpp.
#include "model_files.hpp"
#include "pieces.hpp"

#include <cstdint>
#include <cstdlib>
#include <string>

namespace {

using trained::Index;

void stop_unless(bool holds) {
  if (!holds) std::abort();
}

// Two inputs in one: what is before the first line break, and what is after.
struct Halves {
  std::string_view first, second;
};

Halves halves(std::string_view input) {
  const std::size_t line = input.find('\n');
  if (line == std::string_view::npos) return {input, {}};
  return {input.substr(0, line), input.substr(line + 1)};
}

// The first is model.json, the second is the weights.
void read_model(const Halves& input) {
  trained::Manifest manifest = trained::read_manifest(input.first);
  const auto names = manifest.tensors;
  const trained::ModelFiles files(std::move(manifest),
                                  std::string(input.second));
  for (const auto& [name, tensor] : names) {
    if (tensor.shape.empty() || tensor.shape.back() == 0) {
      if (tensor.type == "int32") files.number(name);
      continue;
    }
    const auto matrix = files.rows_of(name, tensor.shape.back());
    stop_unless(4 * matrix.size() == tensor.bytes && matrix.allFinite());
  }
}

// The first is vocab.json, the second is a text. The pieces make the text.
void cut(const Halves& input) {
  const trained::Vocabulary vocabulary =
      trained::read_vocabulary(input.first);
  const std::string_view text = input.second.substr(0, 2000);
  const std::vector<Index> ids = trained::tokenize(vocabulary, text);
  stop_unless(ids.empty() == text.empty());
  std::size_t bytes = 0;
  bool unknown = false;
  for (const Index id : ids) {
    stop_unless(id >= 0 && id < vocabulary.size());
    unknown = unknown || id == 0;
    bytes += vocabulary.text(id).size();
  }
  std::size_t visible = 3;  // a space, and each one in the text, has 3 bytes
  for (const char c : text) visible += c == ' ' ? 3 : 1;
  stop_unless(text.empty() || unknown || bytes == visible);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data,
                                      std::size_t size);

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string input(reinterpret_cast<const char*>(data), size);
  for (const auto read : {read_model, cut}) {
    try {
      read(halves(input));
    } catch (const trained::ModelProblem& problem) {
      const std::string said = problem.what();
      stop_unless(!said.empty() && said.size() < 1000);
      for (const char c : said) {
        stop_unless(static_cast<unsigned char>(c) >= 0x20);
      }
    }
  }
  return 0;
}
