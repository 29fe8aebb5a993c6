// Chapter 5: what the classic bugs look like, and which test catches each.
#include "walks.hpp"

#include "mha/program.hpp"

namespace {

// [options]
struct Options {
  walks::Split split;
};
// [options]

// [demo]
void demo(const Options& options) { walks::print_walks(options.split); }
// [demo]

// [values]
mha::Values values(const Options& options) {
  mha::Values values;
  walks::add_values(values, options.split);
  return values;
}
// [values]

}  // namespace

// [main]
int main(int argc, char** argv) {
  Options options;
  walks::Split& split = options.split;
  const mha::Chapter chapter = {
      .name = "reshape_bugs",
      .about = "The classic bugs of an attention layer, each beside its check.",
      .options = {{"--tokens", &split.tokens, "number of tokens", 1, 64},
                  {"--heads", &split.heads, "number of heads", 1, 64},
                  {"--d-head", &split.d_head, "width of a head", 1, 64}},
      .demo = [&] { demo(options); },
      .values = [&] { return values(options); },
      .figures = {{"two_ways", [&] { return walks::draw_two_ways(split); }},
                  {"flattening", walks::draw_flattening}}};
  return mha::run_chapter(chapter, argc, argv);
}
// [main]
