/// \file file_kind.hpp
/// Tells a file's format by its first bytes.
#pragma once

#include "diagnose/byte_source.hpp"

namespace diagnose {

/// The formats that are read.
enum class FileKind { npy, safetensors, zip };

/// Looks at the beginning of a file. That it is not damaged, others find out.
/// \param source  the file
/// \throws TensorFileProblem if it is of no such format; of those that people
///         often have instead, the message says how to save them
FileKind kind_of(const ByteSource& source);

}  // namespace diagnose
