#include "mha/generator.hpp"

#include <cmath>
#include <numbers>

namespace mha {

// [uniform]
float TorchGenerator::uniform_float() {
  constexpr std::uint32_t low_24_bits = 0xFFFFFF;
  return static_cast<float>(engine_() & low_24_bits) * 0x1p-24F;
}

Matrix<float> TorchGenerator::uniform(Index rows, Index cols, float low,
                                      float high) {
  Matrix<float> result(rows, cols);
  for (float& value : result.reshaped<Eigen::RowMajor>()) {
    // PyTorch's kernels round once here, not twice: a fused multiply-add.
    value = std::fma(uniform_float(), high - low, low);
  }
  return result;
}
// [uniform]

// [normal]
Matrix<float> TorchGenerator::normal(Index rows, Index cols) {
  Matrix<float> result(rows, cols);
  const std::span<float> slots(result.data(),
                               static_cast<std::size_t>(result.size()));
  if (slots.size() < 16) {
    for (float& slot : slots) slot = normal_from_doubles();
    return result;
  }
  for (float& slot : slots) slot = uniform_float();
  for (std::size_t at = 0; at + 16 <= slots.size(); at += 16) {
    box_muller(slots.subspan(at).first<16>());
  }
  if (slots.size() % 16 != 0) {  // the last 16 are drawn again, as a block
    const std::span<float, 16> last = slots.last<16>();
    for (float& slot : last) slot = uniform_float();
    box_muller(last);
  }
  return result;
}
// [normal]

// [box muller]
// Box and Muller (1958): two uniform numbers make two normal ones, a radius
// and an angle on a round target. A float's logarithm differs in the last bit
// from one C library to the next; a double's, rounded to a float, does not.
void TorchGenerator::box_muller(std::span<float, 16> block) {
  constexpr float two_pi = 2 * std::numbers::pi_v<float>;
  for (std::size_t j = 0; j < 8; ++j) {
    const float u1 = 1 - block[j];  // in (0, 1]: its logarithm is finite
    const float u2 = block[j + 8];
    const float log = static_cast<float>(std::log(static_cast<double>(u1)));
    const float radius = std::sqrt(-2 * log);
    const double angle = two_pi * u2;
    block[j] = radius * static_cast<float>(std::cos(angle));
    block[j + 8] = radius * static_cast<float>(std::sin(angle));
  }
}
// [box muller]

// [few normals]
// Below 16 values PyTorch works in double precision, one pair at a time, and
// keeps the second of a pair for the next call.
float TorchGenerator::normal_from_doubles() {
  if (spare_normal_) {
    const double spare = *spare_normal_;
    spare_normal_.reset();
    return static_cast<float>(spare);
  }
  const double u1 = uniform_double();
  const double u2 = uniform_double();
  const double radius = std::sqrt(-2 * std::log1p(-u2));
  const double angle = 2 * std::numbers::pi * u1;
  spare_normal_ = radius * std::sin(angle);
  return static_cast<float>(radius * std::cos(angle));
}

double TorchGenerator::uniform_double() {
  const std::uint64_t high = engine_();
  const std::uint64_t low = engine_();
  constexpr std::uint64_t low_53_bits = (1ULL << 53) - 1;
  return static_cast<double>((high << 32 | low) & low_53_bits) * 0x1p-53;
}
// [few normals]

// [integer]
Index TorchGenerator::integer(Index below) {
  require(below >= 1 && below < (Index{1} << 31),
          "cannot choose from {} numbers; give 1 to 2147483647", below);
  return static_cast<Index>(engine_()) % below;
}
// [integer]

}  // namespace mha
