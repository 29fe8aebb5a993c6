/// \file safetensors_file.hpp
/// Files of the safetensors format: the header's length in 8 bytes, least
/// significant first, the header, the numbers.
#pragma once

#include "diagnose/byte_source.hpp"
#include "diagnose/tensor_source.hpp"

#include <memory>

namespace diagnose {

/// Reads and checks the header. As the reference does, it demands that the
/// tensors' bytes follow one another without gap or overlap to the file's end.
/// \param source  the file
/// \throws TensorFileProblem if anything in the header is not as it has to be
FileContents read_safetensors(const std::shared_ptr<ByteSource>& source);

}  // namespace diagnose
