// Chapter 7: attention that never stores its scores.
#include "mha/program.hpp"

// [main]
int main(int argc, char** argv) {
  return mha::run_chapter({.name = "fused_attention", .about = "", .demo = [] {}, .values = [] { return mha::Values(); }}, argc, argv);
}
// [main]
