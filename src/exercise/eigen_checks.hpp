// Comes before Eigen in a reader's program: where Eigen would stop the program,
// or in a release build go on with garbage, an exception says what is wrong.
#pragma once

#include <stdexcept>

#define eigen_assert(condition)                                           \
  do {                                                                    \
    if (!(condition)) {                                                   \
      throw std::logic_error("Eigen needs this to be true: " #condition); \
    }                                                                     \
  } while (false)
