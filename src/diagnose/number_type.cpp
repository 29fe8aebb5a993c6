#include "diagnose/number_type.hpp"

#include "diagnose/tensor_problem.hpp"

#include <Eigen/Core>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <type_traits>

namespace diagnose {
namespace {

using Eigen::numext::bit_cast;

constexpr std::array all_types = {
    NumberType::float16, NumberType::bfloat16, NumberType::float32,
    NumberType::float64, NumberType::int8,     NumberType::int16,
    NumberType::int32,   NumberType::int64,    NumberType::uint8,
    NumberType::uint16,  NumberType::uint32,   NumberType::uint64,
    NumberType::boolean};

template <std::size_t size>
using BitsOf = std::conditional_t<
    size == 1, std::uint8_t,
    std::conditional_t<
        size == 2, std::uint16_t,
        std::conditional_t<size == 4, std::uint32_t, std::uint64_t>>>;

// Calls `use` with a value of the C++ type that stands for `type`.
template <typename Use>
auto with_type(NumberType type, Use use) {
  switch (type) {
    case NumberType::float16: return use(Eigen::half{});
    case NumberType::bfloat16: return use(Eigen::bfloat16{});
    case NumberType::float32: return use(float{});
    case NumberType::float64: return use(double{});
    case NumberType::int8: return use(std::int8_t{});
    case NumberType::int16: return use(std::int16_t{});
    case NumberType::int32: return use(std::int32_t{});
    case NumberType::int64: return use(std::int64_t{});
    case NumberType::uint8: return use(std::uint8_t{});
    case NumberType::uint16: return use(std::uint16_t{});
    case NumberType::uint32: return use(std::uint32_t{});
    case NumberType::uint64: return use(std::uint64_t{});
    case NumberType::boolean: break;
  }
  return use(bool{});
}

template <typename Number>
constexpr bool is_16_bit_float = std::is_same_v<Number, Eigen::half> ||
                                 std::is_same_v<Number, Eigen::bfloat16>;

template <typename Number>
double number_at(const std::byte* bytes) {
  using Bits = BitsOf<sizeof(Number)>;
  std::uint64_t bits = 0;
  for (std::size_t i = 0; i < sizeof(Number); ++i) {
    bits |= std::to_integer<std::uint64_t>(bytes[i]) << (8 * i);
  }
  if constexpr (std::is_same_v<Number, bool>) {
    return static_cast<double>(bits);
  } else {
    const auto number = bit_cast<Number>(static_cast<Bits>(bits));
    if constexpr (is_16_bit_float<Number>) {
      return static_cast<double>(static_cast<float>(number));
    } else {
      return static_cast<double>(number);
    }
  }
}

// A float between whose bits and the value nothing is lost on the way to 16
// bits: inexact results get an odd last bit, so that the second rounding does
// not take them for a tie.
float rounded_to_odd(double value) {
  const float nearest = static_cast<float>(value);
  const bool is_even = (bit_cast<std::uint32_t>(nearest) & 1u) == 0;
  if (std::isnan(value) || static_cast<double>(nearest) == value || !is_even) {
    return nearest;
  }
  const float limit = std::numeric_limits<float>::infinity();
  return std::nextafter(nearest,
                        value > static_cast<double>(nearest) ? limit : -limit);
}

// Whether a whole-number type holds this value. The largest value plus one is
// a power of two, so it is exact as a double.
template <typename Number>
bool fits(double value) {
  using Limits = std::numeric_limits<Number>;
  const double beyond = std::ldexp(1.0, Limits::digits);
  const double least = std::is_signed_v<Number> ? -beyond : 0.0;
  return value >= least && value < beyond && value == std::floor(value);
}

template <typename Number>
BitsOf<sizeof(Number)> bits_of(double value, const std::string& label,
                               NumberType type) {
  using Bits = BitsOf<sizeof(Number)>;
  if constexpr (is_16_bit_float<Number>) {
    return bit_cast<Bits>(Number(rounded_to_odd(value)));
  } else if constexpr (std::is_floating_point_v<Number>) {
    return bit_cast<Bits>(static_cast<Number>(value));
  } else {
    if (!fits<Number>(value)) {
      fail(label, "{} is no {}; choose a type that holds it", value,
           name(type));
    }
    return static_cast<Bits>(static_cast<Number>(value));
  }
}

template <typename Number>
void append_numbers(std::span<const std::byte> bytes,
                    std::vector<double>& values) {
  for (std::size_t i = 0; i < bytes.size(); i += sizeof(Number)) {
    values.push_back(number_at<Number>(bytes.data() + i));
  }
}

void check_booleans(std::span<const std::byte> bytes,
                    const std::string& label) {
  for (const std::byte byte : bytes) {
    if (std::to_integer<int>(byte) > 1) {
      fail(label, "has the byte {} where a bool is 0 or 1; save it as uint8",
           std::to_integer<int>(byte));
    }
  }
}

}  // namespace

std::span<const NumberType> number_types() { return all_types; }

std::string_view name(NumberType type) {
  switch (type) {
    case NumberType::float16: return "float16";
    case NumberType::bfloat16: return "bfloat16";
    case NumberType::float32: return "float32";
    case NumberType::float64: return "float64";
    case NumberType::int8: return "int8";
    case NumberType::int16: return "int16";
    case NumberType::int32: return "int32";
    case NumberType::int64: return "int64";
    case NumberType::uint8: return "uint8";
    case NumberType::uint16: return "uint16";
    case NumberType::uint32: return "uint32";
    case NumberType::uint64: return "uint64";
    case NumberType::boolean: break;
  }
  return "bool";
}

std::ptrdiff_t byte_count(NumberType type) {
  return with_type(type, [](auto number) {
    return static_cast<std::ptrdiff_t>(sizeof number);
  });
}

std::ptrdiff_t number_count(std::span<const std::ptrdiff_t> shape) {
  if (std::count(shape.begin(), shape.end(), 0) > 0) return 0;
  std::ptrdiff_t count = 1;
  for (const std::ptrdiff_t size : shape) count *= size;
  return count;
}

std::optional<std::uint64_t> byte_count(const TensorInfo& info) {
  std::ptrdiff_t bytes = byte_count(info.type);
  for (const std::ptrdiff_t size : info.shape) {
    if (size == 0) continue;
    if (bytes > std::numeric_limits<std::ptrdiff_t>::max() / size) return {};
    bytes *= size;
  }
  const bool is_empty = std::count(info.shape.begin(), info.shape.end(), 0) > 0;
  return is_empty ? 0 : static_cast<std::uint64_t>(bytes);
}

std::vector<double> read_numbers(ByteReader& from, NumberType type,
                                 std::ptrdiff_t count, std::ptrdiff_t held,
                                 const std::string& label) {
  constexpr std::ptrdiff_t at_once = 8192;
  std::vector<double> values;
  values.reserve(static_cast<std::size_t>(std::min(count, held)));
  std::vector<std::byte> buffer;
  for (std::ptrdiff_t left = count; left > 0; left -= at_once) {
    buffer.resize(
        static_cast<std::size_t>(std::min(left, at_once) * byte_count(type)));
    from.read(buffer);
    if (type == NumberType::boolean) check_booleans(buffer, label);
    with_type(type, [&](auto number) {
      append_numbers<decltype(number)>(buffer, values);
    });
  }
  return values;
}

std::vector<char> bytes_of(const Tensor& tensor, const std::string& label) {
  const auto is_negative = [](std::ptrdiff_t size) { return size < 0; };
  if (std::any_of(tensor.shape.begin(), tensor.shape.end(), is_negative) ||
      tensor.shape.size() > most_dimensions ||
      !byte_count({tensor.shape, tensor.type}) ||
      number_count(tensor.shape) != std::ssize(tensor.values)) {
    fail(label, "has {} values and the shape {}; they have to agree",
         tensor.values.size(), printable(tensor.shape));
  }
  std::vector<char> bytes;
  bytes.reserve(tensor.values.size() *
                static_cast<std::size_t>(byte_count(tensor.type)));
  with_type(tensor.type, [&](auto number) {
    using Number = decltype(number);
    for (const double value : tensor.values) {
      std::uint64_t bits = bits_of<Number>(value, label, tensor.type);
      for (std::size_t i = 0; i < sizeof(Number); ++i, bits >>= 8) {
        bytes.push_back(static_cast<char>(bits & 0xff));
      }
    }
  });
  return bytes;
}

}  // namespace diagnose
