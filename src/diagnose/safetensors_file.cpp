#include "diagnose/safetensors_file.hpp"

#include "diagnose/number_type.hpp"
#include "diagnose/replace_file.hpp"
#include "diagnose/safetensors_header.hpp"
#include "diagnose/tensor_problem.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <ostream>
#include <utility>

namespace diagnose {
namespace {

using Entries = std::vector<std::pair<std::string, SafetensorsEntry>>;

constexpr std::uint64_t length_bytes = 8;

std::uint64_t read_header_length(const ByteSource& source, ByteReader& reader) {
  std::array<std::byte, length_bytes> bytes;
  reader.read(bytes);
  std::uint64_t length = 0;
  for (std::size_t i = bytes.size(); i-- > 0;) {
    length = (length << 8) | std::to_integer<std::uint64_t>(bytes[i]);
  }
  if (length > longest_safetensors_header) {
    fail(source.label(),
         "has a header of {} bytes, more than the {} that are allowed; it is "
         "damaged, or no safetensors file",
         length, longest_safetensors_header);
  }
  if (length > source.size() - length_bytes) {
    fail(source.label(),
         "has a header of {} bytes and only {} bytes after its length; copy "
         "or save it again, it is cut short",
         length, source.size() - length_bytes);
  }
  return length;
}

// By where they begin; an empty tensor before the one that begins there too.
Entries in_order(const SafetensorsHeader& header) {
  Entries entries(header.entries.begin(), header.entries.end());
  const auto place = [](const auto& named) {
    return std::pair(named.second.begin, named.second.end);
  };
  std::sort(entries.begin(), entries.end(),
            [&](const auto& a, const auto& b) { return place(a) < place(b); });
  return entries;
}

void check_sizes(const Entries& entries, const std::string& label) {
  for (const auto& [tensor, entry] : entries) {
    const auto bytes = byte_count(entry.info);
    if (!bytes) {
      fail(label,
           "{} has the shape {}, too large for any memory; save it again",
           printable(tensor), printable(entry.info.shape));
    }
    if (entry.end < entry.begin || entry.end - entry.begin != *bytes) {
      fail(label,
           "{} of shape {} and type {} needs {} bytes, and has the offsets {} "
           "to {}; save it again",
           printable(tensor), printable(entry.info.shape),
           name(entry.info.type), *bytes, entry.begin, entry.end);
    }
  }
}

void check_places(const Entries& entries, std::uint64_t data_size,
                  const std::string& label) {
  std::uint64_t end = 0;
  for (const auto& [tensor, entry] : entries) {
    if (entry.begin != end) {
      fail(label, "{} begins at offset {} where {} is next: {}; save it again",
           printable(tensor), entry.begin, end,
           entry.begin > end ? "there is a hole" : "two tensors overlap");
    }
    end = entry.end;
  }
  if (end != data_size) {
    fail(label, "has {} bytes of numbers and its header speaks of {}; {}",
         data_size, end,
         end > data_size ? "copy or save it again, it is cut short"
                         : "save it again");
  }
}

FileContents contents(const std::shared_ptr<ByteSource>& source,
                      SafetensorsHeader header, std::uint64_t data_begin) {
  FileContents found;
  found.metadata = std::move(header.metadata);
  for (auto& [tensor, entry] : header.entries) {
    const std::uint64_t begin = data_begin + entry.begin;
    const std::string label = source->label() + ": " + printable(tensor);
    found.tensors[tensor] = {
        entry.info, [source, begin, info = entry.info, label] {
          const auto reader = source->from(begin);
          const std::ptrdiff_t count = number_count(info.shape);
          return read_numbers(*reader, info.type, count, count, label);
        }};
  }
  return found;
}

// Wide numbers first, so that each tensor begins at a multiple of its width.
std::vector<std::string> order_to_write(
    const std::map<std::string, Tensor>& tensors) {
  std::vector<std::string> names;
  for (const auto& [tensor, data] : tensors) names.push_back(tensor);
  std::stable_sort(
      names.begin(), names.end(), [&](const auto& a, const auto& b) {
        return byte_count(tensors.at(a).type) > byte_count(tensors.at(b).type);
      });
  return names;
}

std::string header_text(const nlohmann::json& header,
                        const std::string& label) {
  std::string text;
  try {
    text = header.dump();
  } catch (const nlohmann::json::exception&) {
    fail(label, "cannot be written: a name or its metadata is not UTF-8");
  }
  text.append((length_bytes - text.size() % length_bytes) % length_bytes, ' ');
  return text;
}

std::string length_text(std::uint64_t length) {
  std::string text;
  for (std::uint64_t i = 0; i < length_bytes; ++i, length >>= 8) {
    text.push_back(static_cast<char>(length & 0xff));
  }
  return text;
}

}  // namespace

FileContents read_safetensors(const std::shared_ptr<ByteSource>& source) {
  const auto reader = source->from(0);
  const std::uint64_t length = read_header_length(*source, *reader);
  std::string text(static_cast<std::size_t>(length), '\0');
  reader->read(std::as_writable_bytes(std::span(text)));
  SafetensorsHeader header = parse_safetensors_header(text, source->label());
  const std::uint64_t data_begin = length_bytes + length;
  const Entries entries = in_order(header);
  check_sizes(entries, source->label());
  check_places(entries, source->size() - data_begin, source->label());
  return contents(source, std::move(header), data_begin);
}

void write_safetensors(const std::filesystem::path& path,
                       const std::map<std::string, Tensor>& tensors,
                       const std::map<std::string, std::string>& metadata) {
  const std::string label = printable(path.string());
  nlohmann::json header = nlohmann::json::object();
  if (!metadata.empty()) header["__metadata__"] = metadata;
  std::vector<char> data;
  for (const std::string& tensor : order_to_write(tensors)) {
    const Tensor& written = tensors.at(tensor);
    if (tensor == "__metadata__") {
      fail(label,
           "a tensor cannot be called __metadata__; choose another name");
    }
    const std::vector<char> bytes =
        bytes_of(written, label + ": " + printable(tensor));
    const std::size_t begin = data.size();
    data.insert(data.end(), bytes.begin(), bytes.end());
    header[tensor] = {{"dtype", safetensors_name(written.type)},
                      {"shape", written.shape},
                      {"data_offsets", {begin, data.size()}}};
  }
  const std::string text = header_text(header, label);
  replace_file(path, [&](std::ostream& file) {
    file << length_text(text.size()) << text;
    file.write(data.data(), std::ssize(data));
  });
}

}  // namespace diagnose
