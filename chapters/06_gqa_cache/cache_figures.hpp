// Chapter 6: its pictures.
#pragma once

#include <string>

namespace caches {

// [figures]
std::string draw_sharing();  // query heads and the key/value heads they read
std::string draw_ring();     // which token is in which slot
std::string draw_growth();   // bytes over the length of a text
// [figures]

}  // namespace caches
