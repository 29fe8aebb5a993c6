/// \file safetensors_header.hpp
/// The JSON at the head of a safetensors file.
/// Source: the format's description, github.com/huggingface/safetensors.
#pragma once

#include "diagnose/tensor_file.hpp"

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

namespace diagnose {

/// One entry of the header, with the place of its bytes after the header.
struct SafetensorsEntry {
  TensorInfo info;
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
};

/// What the header says, not yet held against the size of the file.
struct SafetensorsHeader {
  std::map<std::string, SafetensorsEntry> entries;
  std::map<std::string, std::string> metadata;
};

/// Reads the JSON. Names that occur twice, fields that are missing or unknown,
/// and numbers that are no sizes are refused. Nesting deeper than the format's
/// ends the reading at once.
/// \param text   the header
/// \param label  what messages call the file
/// \throws TensorFileProblem if the text is no such header
SafetensorsHeader parse_safetensors_header(std::string_view text,
                                           const std::string& label);

/// The type's name in that header, such as "F32".
/// \param type  any of them
std::string_view safetensors_name(NumberType type);

}  // namespace diagnose
