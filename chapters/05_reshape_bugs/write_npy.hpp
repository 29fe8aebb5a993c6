// Chapter 5: a tensor of floats as a .npy file, for the diagnosis.
#pragma once

#include <string>
#include <vector>

namespace gallery {

// [write npy, declared]
// The numbers row by row, (shape[0], shape[1], ...).
void write_npy(const std::string& file, const std::vector<int>& shape,
               const float* numbers);
// [write npy, declared]

}  // namespace gallery
