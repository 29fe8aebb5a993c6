#include "write_npy.hpp"

#include <cstddef>
#include <fstream>

namespace gallery {

// [write npy]
void write_npy(const std::string& file, const std::vector<int>& shape,
               const float* numbers) {
  std::size_t count = 1;
  std::string sizes;
  for (const int size : shape) {
    count *= static_cast<std::size_t>(size);
    sizes += std::to_string(size) + ", ";
  }
  std::string header = "{'descr': '<f4', 'fortran_order': False, 'shape': (" +
                       sizes + "), }";
  while ((header.size() + 11) % 64 != 0) header += ' ';
  header += '\n';
  std::ofstream out(file, std::ios::binary);
  out.write("\x93NUMPY\x01\x00", 8);  // version 1.0, and a length of 2 bytes
  out.put(static_cast<char>(header.size() % 256));
  out.put(static_cast<char>(header.size() / 256));
  out << header;
  out.write(reinterpret_cast<const char*>(numbers),
            static_cast<std::streamsize>(count * sizeof(float)));
}
// [write npy]

}  // namespace gallery
