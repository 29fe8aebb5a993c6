#include "diagnose/npy_header.hpp"

#include "diagnose/number_type.hpp"
#include "diagnose/tensor_problem.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cctype>
#include <optional>

namespace diagnose {
namespace {

// What stands in the dict, with None for what it has not named yet.
struct Fields {
  std::optional<std::string> descr;
  std::optional<bool> fortran_order;
  std::optional<std::vector<std::ptrdiff_t>> shape;
};

// Reads a dict as NumPy writes it, such as
//   {'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }
// and no other Python.
class DictReader {
 public:
  DictReader(std::string_view text, const std::string& label)
      : rest_(text), label_(label) {}

  Fields read() {
    Fields fields;
    expect('{');
    while (!take('}')) {
      read_field(fields);
      if (!take(',')) {
        expect('}');
        break;
      }
    }
    skip_spaces();
    if (!rest_.empty()) fail_here("nothing");
    return fields;
  }

 private:
  void read_field(Fields& fields) {
    const std::string field = text();
    expect(':');
    if (field == "descr" && !fields.descr) {
      skip_spaces();
      if (rest_.starts_with('[')) {
        fail(label_, "holds records of several fields; save each field alone");
      }
      fields.descr = text();
    } else if (field == "fortran_order" && !fields.fortran_order) {
      fields.fortran_order = truth();
    } else if (field == "shape" && !fields.shape) {
      fields.shape = shape();
    } else {
      fail(label_,
           "has the field {} in its header, unknown or twice; save it with "
           "numpy.save",
           printable(field));
    }
  }

  std::string text() {
    skip_spaces();
    const char quote = rest_.empty() ? ' ' : rest_.front();
    if (quote != '\'' && quote != '"') fail_here("a text in quotes");
    const std::size_t end = rest_.find(quote, 1);
    if (end == std::string_view::npos) fail_here("a text that ends");
    const std::string found(rest_.substr(1, end - 1));
    if (found.find('\\') != std::string::npos) fail_here("a plain text");
    rest_.remove_prefix(end + 1);
    return found;
  }

  bool truth() {
    skip_spaces();
    for (const bool value : {false, true}) {
      const std::string_view word = value ? "True" : "False";
      if (rest_.starts_with(word)) {
        rest_.remove_prefix(word.size());
        return value;
      }
    }
    fail_here("True or False");
  }

  // (), (2,), (2, 3) or (2, 3,): a comma is what makes a tuple of one.
  std::vector<std::ptrdiff_t> shape() {
    std::vector<std::ptrdiff_t> sizes;
    expect('(');
    bool after_comma = true;
    while (!take(')')) {
      if (!after_comma) fail_here("a comma");
      sizes.push_back(size());
      if (sizes.size() > most_dimensions) {
        fail(label_, "has more than {} dimensions; save it with fewer",
             most_dimensions);
      }
      after_comma = take(',');
    }
    if (sizes.size() == 1 && !after_comma) fail_here("a comma after one size");
    return sizes;
  }

  std::ptrdiff_t size() {
    skip_spaces();
    std::ptrdiff_t value = 0;
    const char* begin = rest_.data();
    const char* end = begin + rest_.size();
    const auto [stop, error] = std::from_chars(begin, end, value);
    if (error == std::errc::result_out_of_range) {
      fail(label_, "has a size that does not fit 64 bits; save it again");
    }
    if (error != std::errc{}) fail_here("a size");
    if (value < 0) {
      fail(label_, "has the negative size {}; save it again", value);
    }
    rest_.remove_prefix(static_cast<std::size_t>(stop - begin));
    return value;
  }

  void skip_spaces() {
    const std::size_t next = rest_.find_first_not_of(" \n");
    rest_.remove_prefix(std::min(next, rest_.size()));
  }

  bool take(char c) {
    skip_spaces();
    if (!rest_.starts_with(c)) return false;
    rest_.remove_prefix(1);
    return true;
  }

  void expect(char c) {
    if (!take(c)) fail_here(std::string(1, c));
  }

  [[noreturn]] void fail_here(std::string_view expected) {
    fail(label_,
         "has a header with \"{}\" where {} belongs; save it with numpy.save",
         printable(rest_.substr(0, 20)), expected);
  }

  std::string_view rest_;
  const std::string& label_;
};

// NumPy's letter for a type and its width in bytes, such as f4; nothing for
// bfloat16.
std::string_view npy_name(NumberType type) {
  switch (type) {
    case NumberType::float16: return "f2";
    case NumberType::bfloat16: return "";
    case NumberType::float32: return "f4";
    case NumberType::float64: return "f8";
    case NumberType::int8: return "i1";
    case NumberType::int16: return "i2";
    case NumberType::int32: return "i4";
    case NumberType::int64: return "i8";
    case NumberType::uint8: return "u1";
    case NumberType::uint16: return "u2";
    case NumberType::uint32: return "u4";
    case NumberType::uint64: return "u8";
    case NumberType::boolean: break;
  }
  return "b1";
}

// What to do about a type that is not read here.
[[noreturn]] void fail_at_type(const std::string& descr,
                               const std::string& label) {
  const char kind = descr.size() > 1 ? descr[1] : ' ';
  switch (kind) {
    case 'O':
      fail(label,
           "holds Python objects, which are not read here; save an array of "
           "numbers, such as x.astype('float32')");
    case 'c':
      fail(label, "holds complex numbers; save x.real and x.imag apart");
    case 'U':
    case 'S': fail(label, "holds text; save an array of numbers");
    case 'V':
      fail(label,
           "holds the type {}, perhaps bfloat16, which NumPy does not know; "
           "save it as float32",
           printable(descr));
    default:
      fail(label,
           "holds the type {}, which is not read here; save it as float32",
           printable(descr));
  }
}

NumberType type_of(const std::string& descr, const std::string& label) {
  const std::string_view letters =
      std::string_view(descr).substr(std::min<std::size_t>(1, descr.size()));
  for (const NumberType type : number_types()) {
    if (letters.empty() || letters != npy_name(type)) continue;
    if (descr[0] == '<' || (descr[0] == '|' && byte_count(type) == 1)) {
      return type;
    }
    if (descr[0] == '>') {
      fail(label,
           "holds big-endian numbers; save it as little-endian, with "
           "x.astype('<{}')",
           npy_name(type));
    }
  }
  fail_at_type(descr, label);
}

// The header's length is 2 bytes in version 1 and 4 after, little-endian.
std::uint64_t read_length(ByteReader& from, std::size_t bytes) {
  std::array<std::byte, 4> found{};
  from.read(std::span(found).first(bytes));
  std::uint64_t length = 0;
  for (std::size_t i = bytes; i-- > 0;) {
    length = (length << 8) | std::to_integer<std::uint64_t>(found[i]);
  }
  return length;
}

// Reads to the end of the length, and gives the length and what was read.
std::pair<std::uint64_t, std::uint64_t> read_start(ByteReader& from,
                                                   const std::string& label) {
  std::string start(npy_magic.size() + 2, '\0');
  from.read(std::as_writable_bytes(std::span(start)));
  if (!start.starts_with(npy_magic)) {
    fail(label, "is no .npy file; save it with numpy.save");
  }
  const int version = static_cast<unsigned char>(start[npy_magic.size()]);
  const int minor = static_cast<unsigned char>(start[npy_magic.size() + 1]);
  if (version < 1 || version > 3 || minor != 0) {
    fail(label,
         "is of version {}.{} of the format; versions 1.0 to 3.0 are read, "
         "save it again",
         version, minor);
  }
  const std::size_t length_bytes = version == 1 ? 2 : 4;
  const std::uint64_t length = read_length(from, length_bytes);
  return {length, start.size() + length_bytes};
}

}  // namespace

NpyHeader read_npy_header(ByteReader& from, const std::string& label) {
  const auto [length, before] = read_start(from, label);
  if (length > longest_npy_header) {
    fail(label,
         "has a header of {} bytes, more than the {} that are allowed; save a "
         "plain array of numbers",
         length, longest_npy_header);
  }
  std::string text(static_cast<std::size_t>(length), '\0');
  from.read(std::as_writable_bytes(std::span(text)));
  Fields fields = DictReader(text, label).read();
  if (!fields.descr || !fields.fortran_order || !fields.shape) {
    fail(label, "has no {} in its header; save it with numpy.save",
         !fields.descr           ? "descr"
         : !fields.fortran_order ? "fortran_order"
                                 : "shape");
  }
  NpyHeader header;
  header.info = {std::move(*fields.shape), type_of(*fields.descr, label)};
  header.order = *fields.fortran_order ? NumberOrder::first_index_fastest
                                       : NumberOrder::last_index_fastest;
  header.length = before + length;
  if (!byte_count(header.info)) {
    fail(label, "has the shape {}, too large for any memory; save it again",
         printable(header.info.shape));
  }
  return header;
}

std::string npy_header(const TensorInfo& info, const std::string& label) {
  constexpr std::size_t alignment = 64;
  constexpr std::size_t before = 10;  // magic, version, length
  if (info.type == NumberType::bfloat16) {
    fail(label,
         "cannot hold bfloat16, which NumPy does not know; write float32 or a "
         "safetensors file");
  }
  std::string dict =
      fmt::format("{{'descr': '{}{}', 'fortran_order': False, 'shape': {}, }}",
                  byte_count(info.type) == 1 ? '|' : '<', npy_name(info.type),
                  printable(info.shape));
  const std::size_t unpadded = before + dict.size() + 1;
  dict.append((alignment - unpadded % alignment) % alignment, ' ');
  dict.push_back('\n');
  std::string header(npy_magic);
  header += {'\1', '\0', static_cast<char>(dict.size() & 0xff),
             static_cast<char>(dict.size() >> 8)};
  return header + dict;
}

}  // namespace diagnose
