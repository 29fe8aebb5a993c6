#include "diagnose/npy_file.hpp"

#include "diagnose/number_type.hpp"
#include "diagnose/replace_file.hpp"
#include "diagnose/tensor_problem.hpp"

#include <algorithm>
#include <ostream>

namespace diagnose {
namespace {

// Goes through the tensor row by row, and keeps count of where each number
// stands in the file, where the first index is the one that moves fastest.
std::vector<double> row_by_row(const std::vector<double>& values,
                               std::span<const std::ptrdiff_t> shape) {
  if (values.empty()) return {};  // the strides may not fit 64 bits
  const std::size_t dimensions = shape.size();
  std::vector<std::ptrdiff_t> strides(dimensions, 1), index(dimensions, 0);
  for (std::size_t d = 1; d < dimensions; ++d) {
    strides[d] = strides[d - 1] * shape[d - 1];
  }
  std::vector<double> sorted;
  sorted.reserve(values.size());
  std::ptrdiff_t place = 0;
  while (sorted.size() < values.size()) {
    sorted.push_back(values[static_cast<std::size_t>(place)]);
    for (std::size_t d = dimensions; d-- > 0;) {
      place += strides[d];
      if (++index[d] < shape[d]) break;
      place -= strides[d] * shape[d];
      index[d] = 0;
    }
  }
  return sorted;
}

}  // namespace

void check_npy_size(const NpyHeader& header, std::uint64_t size,
                    const std::string& label) {
  const std::uint64_t needed = *byte_count(header.info);
  const std::uint64_t present = size - std::min(size, header.length);
  if (needed > present) {
    fail(label,
         "has {} bytes of numbers where shape {} and type {} need {}; copy or "
         "save it again, it is cut short",
         present, printable(header.info.shape), name(header.info.type), needed);
  }
  if (needed < present) {
    fail(label,
         "goes on for {} bytes after its array; save each array in a file of "
         "its own",
         present - needed);
  }
}

std::vector<double> read_npy_numbers(ByteReader& from, const NpyHeader& header,
                                     std::ptrdiff_t held,
                                     const std::string& label) {
  const TensorInfo& info = header.info;
  std::vector<double> values =
      read_numbers(from, info.type, number_count(info.shape), held, label);
  const bool is_flat = info.shape.size() < 2;
  return is_flat || header.order == NumberOrder::last_index_fastest
             ? values
             : row_by_row(values, info.shape);
}

TensorSource read_npy(const std::shared_ptr<ByteSource>& source) {
  const NpyHeader header = read_npy_header(*source->from(0), source->label());
  check_npy_size(header, source->size(), source->label());
  return {header.info, [source, header] {
            const auto reader = source->from(header.length);
            return read_npy_numbers(*reader, header,
                                    number_count(header.info.shape),
                                    source->label());
          }};
}

void write_npy(const std::filesystem::path& path, const Tensor& tensor) {
  const std::string label = printable(path.string());
  const std::vector<char> bytes = bytes_of(tensor, label);
  const std::string header = npy_header({tensor.shape, tensor.type}, label);
  replace_file(path, [&](std::ostream& file) {
    file << header;
    file.write(bytes.data(), std::ssize(bytes));
  });
}

}  // namespace diagnose
