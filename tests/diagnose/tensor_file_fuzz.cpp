// Any bytes at all are either read, or refused in one line: no crash, no other
// exception, no memory that the input does not account for. libFuzzer calls
// this, or mutated_seeds.cpp.
#include "diagnose/tensor_file.hpp"

#include <cstdint>
#include <cstdlib>
#include <string>

namespace {

void stop_unless(bool holds) {
  if (!holds) std::abort();
}

void check_message(const std::string& text) {
  stop_unless(text.starts_with("input: ") && text.size() < 4000);
  for (const char c : text) stop_unless(static_cast<unsigned char>(c) >= 0x20);
}

void read_all(std::span<const std::byte> bytes) {
  constexpr std::ptrdiff_t most_numbers = 1 << 16;
  auto file = diagnose::open_tensor_bytes(bytes, "input", most_numbers);
  std::ptrdiff_t numbers = 0;
  for (const auto& [name, info] : file.tensors()) {
    const diagnose::Tensor tensor = file.read(name);
    stop_unless(tensor.shape == info.shape);
    stop_unless(std::ssize(tensor.values) ==
                diagnose::number_count(info.shape));
    numbers += std::ssize(tensor.values);
  }
  stop_unless(numbers <= most_numbers);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data,
                                      std::size_t size);

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  try {
    read_all(std::as_bytes(std::span(data, size)));
  } catch (const diagnose::TensorFileProblem& problem) {
    check_message(problem.what());
  }
  return 0;
}
