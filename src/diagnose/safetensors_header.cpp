#include "diagnose/safetensors_header.hpp"

#include "diagnose/number_type.hpp"
#include "diagnose/tensor_problem.hpp"

#include <nlohmann/json.hpp>

#include <limits>
#include <optional>
#include <utility>
#include <vector>

namespace diagnose {
namespace {

using nlohmann::json;

constexpr std::string_view metadata_name = "__metadata__";

// Follows the header as it is parsed, and nowhere deeper than the format goes:
//   {"q": {"dtype": "F32", "shape": [2], "data_offsets": [0, 8]},
//    "__metadata__": {"text": "text"}}
// nlohmann's own tree would keep the last of two equal names and say nothing.
class HeaderReader : public nlohmann::json_sax<json> {
 public:
  explicit HeaderReader(const std::string& label) : label_(label) {}

  SafetensorsHeader header;

  bool start_object(std::size_t) override {
    if (place_ == Place::start) {
      place_ = Place::names;
    } else if (place_ == Place::names) {
      place_ = name_ == metadata_name ? Place::metadata : Place::tensor;
      tensor_ = {};
    } else {
      misplaced("an object");
    }
    return true;
  }

  bool key(std::string& text) override {
    (place_ == Place::names ? name_ : field_) = text;
    if (place_ == Place::names) check_new_name();
    if (place_ == Place::tensor) check_new_field();
    return true;
  }

  bool end_object() override {
    if (place_ == Place::tensor) finish_tensor();
    place_ = place_ == Place::names ? Place::end : Place::names;
    return true;
  }

  bool start_array(std::size_t) override {
    if (place_ != Place::tensor || field_ == "dtype") misplaced("a list");
    place_ = Place::numbers;
    (field_ == "shape" ? tensor_.shape : tensor_.offsets).emplace();
    return true;
  }

  bool end_array() override {
    place_ = Place::tensor;
    return true;
  }

  bool number_unsigned(std::uint64_t number) override {
    constexpr auto most = std::numeric_limits<std::ptrdiff_t>::max();
    if (place_ != Place::numbers) misplaced("a number");
    if (number > static_cast<std::uint64_t>(most)) no_size("a larger number");
    auto& numbers = *(field_ == "shape" ? tensor_.shape : tensor_.offsets);
    if (numbers.size() == most_dimensions) {
      fail_at_tensor("has more than {} numbers in its {}", most_dimensions,
                     field_);
    }
    numbers.push_back(static_cast<std::ptrdiff_t>(number));
    return true;
  }

  bool number_integer(std::int64_t) override { no_size("a negative number"); }

  bool number_float(double, const std::string&) override {
    no_size("a fraction or a larger number");
  }

  bool string(std::string& text) override {
    if (place_ == Place::metadata) {
      if (!header.metadata.emplace(field_, text).second) {
        fail(label_, "has the metadata {} twice; save it again",
             printable(field_));
      }
    } else if (place_ == Place::tensor && field_ == "dtype") {
      tensor_.type = type_named(text);
    } else {
      misplaced("a text");
    }
    return true;
  }

  bool null() override {
    if (place_ != Place::names || name_ != metadata_name) misplaced("null");
    return true;
  }

  bool boolean(bool) override { misplaced("true or false"); }
  bool binary(json::binary_t&) override { misplaced("binary"); }

  bool parse_error(std::size_t byte, const std::string&,
                   const nlohmann::detail::exception&) override {
    fail(label_,
         "has a header that is not JSON from byte {} on; save it again, it is "
         "damaged",
         byte);
  }

 private:
  enum class Place { start, names, metadata, tensor, numbers, end };

  // What has been read of the tensor at hand.
  struct PartialTensor {
    std::optional<NumberType> type;
    std::optional<std::vector<std::ptrdiff_t>> shape, offsets;
  };

  NumberType type_named(const std::string& dtype) {
    for (const NumberType type : number_types()) {
      if (safetensors_name(type) == dtype) return type;
    }
    fail(label_,
         "holds {} as {}, a type that is not read here; save it as float32",
         printable(name_), printable(dtype));
  }

  void check_new_name() {
    const bool is_known = header.entries.count(name_) > 0 ||
                          (name_ == metadata_name && has_metadata_);
    has_metadata_ = has_metadata_ || name_ == metadata_name;
    if (is_known) {
      fail(label_, "names {} twice; save it again", printable(name_));
    }
    if (header.entries.size() == most_tensors) {
      fail(label_, "has more than {} tensors; save those that matter",
           most_tensors);
    }
  }

  void check_new_field() {
    const bool is_twice = (field_ == "dtype" && tensor_.type) ||
                          (field_ == "shape" && tensor_.shape) ||
                          (field_ == "data_offsets" && tensor_.offsets);
    if (is_twice) fail_at_tensor("has two fields {}", field_);
    if (field_ != "dtype" && field_ != "shape" && field_ != "data_offsets") {
      fail_at_tensor("has a field {} that the format does not know",
                     printable(field_));
    }
  }

  void finish_tensor() {
    if (!tensor_.type) fail_at_tensor("has no field dtype");
    if (!tensor_.shape) fail_at_tensor("has no field shape");
    if (!tensor_.offsets) fail_at_tensor("has no field data_offsets");
    const std::vector<std::ptrdiff_t>& offsets = *tensor_.offsets;
    if (offsets.size() != 2) {
      fail_at_tensor("has {} data_offsets instead of 2", offsets.size());
    }
    header.entries[name_] = {{std::move(*tensor_.shape), *tensor_.type},
                             static_cast<std::uint64_t>(offsets[0]),
                             static_cast<std::uint64_t>(offsets[1])};
  }

  template <typename... Values>
  [[noreturn]] void fail_at_tensor(fmt::format_string<Values...> what,
                                   Values&&... values) {
    fail(label_, "{} {} in the header; save it again", printable(name_),
         fmt::format(what, std::forward<Values>(values)...));
  }

  [[noreturn]] void no_size(std::string_view what) {
    if (place_ != Place::numbers) misplaced("a number");
    fail_at_tensor("has {} where a size or an offset belongs", what);
  }

  [[noreturn]] void misplaced(std::string_view what) {
    fail(label_,
         "has {} in its header where the format has none; save it with "
         "safetensors.torch.save_file",
         what);
  }

  const std::string& label_;
  Place place_ = Place::start;
  std::string name_, field_;
  PartialTensor tensor_;
  bool has_metadata_ = false;
};

}  // namespace

SafetensorsHeader parse_safetensors_header(std::string_view text,
                                           const std::string& label) {
  HeaderReader reader(label);
  json::sax_parse(text, &reader);
  return std::move(reader.header);
}

std::string_view safetensors_name(NumberType type) {
  switch (type) {
    case NumberType::float16: return "F16";
    case NumberType::bfloat16: return "BF16";
    case NumberType::float32: return "F32";
    case NumberType::float64: return "F64";
    case NumberType::int8: return "I8";
    case NumberType::int16: return "I16";
    case NumberType::int32: return "I32";
    case NumberType::int64: return "I64";
    case NumberType::uint8: return "U8";
    case NumberType::uint16: return "U16";
    case NumberType::uint32: return "U32";
    case NumberType::uint64: return "U64";
    case NumberType::boolean: break;
  }
  return "BOOL";
}

}  // namespace diagnose
