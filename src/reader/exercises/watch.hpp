// The command watch: checks at every save.
#pragma once

#include "reader/exercises/check.hpp"

namespace reader {

// Checks the exercise now and whenever its file has been saved. When it is
// solved, goes on with the next unsolved one. Ends when all are solved, or
// with Stopped.
void watch(const Book& book, const Exercise& first,
           const CheckOptions& options);

}  // namespace reader
