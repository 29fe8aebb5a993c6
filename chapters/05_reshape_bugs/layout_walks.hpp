// Chapter 5: pictures of the memory that wrong splits read.
#pragma once

#include <string>

namespace gallery {

// [layout walks]
std::string draw_split_walks();
std::string draw_packed_walks();
// [layout walks]

}  // namespace gallery
