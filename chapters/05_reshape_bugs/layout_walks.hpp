// Chapter 5: pictures of the memory that wrong splits read.
#pragma once

#include <string>

namespace gallery {

// [layout walks]
std::string draw_split_walks();
std::string draw_packed_walks();
std::string draw_merge_walks();
std::string draw_key_walks();
std::string draw_shared_walks();
std::string draw_batch_walks();
// [layout walks]

}  // namespace gallery
