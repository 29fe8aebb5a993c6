// ./mha diagnose: names the bug in an attention from its tensors.
#include "diagnosis_report.hpp"
#include "example.hpp"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <malloc.h>
#include <unistd.h>

#include <cmath>
#include <cstdio>
#include <fstream>
#include <stdexcept>

namespace {

using namespace diagnose;

struct Options {
  std::vector<std::string> files;
  Told told;
  Index n_heads = 0, n_kv_heads = 0;
  double scale = 0;
  bool causal = false, not_causal = false;
  std::string mask_true, example, output, type = "float32", svg;
  bool json = false, examples = false;
};

NumberType type_named(const std::string& name) {
  for (const NumberType type : {NumberType::float16, NumberType::bfloat16,
                                NumberType::float32, NumberType::float64}) {
    if (diagnose::name(type) == name) return type;
  }
  throw ReadingProblem("--type takes float16, bfloat16, float32 or float64");
}

int write_example(const Options& options) {
  const Example example =
      make_example(options.example, type_named(options.type));
  const std::string file =
      options.output.empty() ? options.example + ".safetensors"
                             : options.output;
  write_safetensors(file, example.tensors, example.metadata);
  fmt::print("wrote {}; ./mha diagnose {} names the bug\n", file, file);
  return 0;
}

void write_text(const std::string& file, const std::string& text) {
  std::ofstream out(file, std::ios::binary);
  out << text;
  out.close();
  if (!out) {
    throw ReadingProblem(file + " cannot be written; choose another place");
  }
}

// On a terminal, how far it is.
void show_progress(Index tried) {
  if (tried % 50 == 0) std::fprintf(stderr, "\r%td tried", tried);
}

int diagnose_files(const Options& options) {
  TensorFile file = open_tensor_files(
      {options.files.begin(), options.files.end()});
  const Roles roles = find_roles(file, options.told);
  const bool terminal = isatty(STDERR_FILENO) != 0;
  const Diagnosis diagnosis = diagnose_tensors(
      roles, terminal ? show_progress : std::function<void(Index)>());
  if (terminal) std::fprintf(stderr, "\r\033[K");
  const NumberType type = computed_type(roles);
  const std::string name = options.files.size() == 1
                               ? options.files[0]
                               : fmt::format("{} files", options.files.size());
  fmt::print("{}", options.json ? report_json(diagnosis, name, type)
                                : report(diagnosis, name, type));
  if (!options.svg.empty()) {
    write_text(options.svg, draw_differences(diagnosis));
  }
  return diagnosis.finding == Finding::correct ? 0 : 2;
}

void add_options(CLI::App& app, Options& options) {
  app.add_option("FILE", options.files,
                 "a .safetensors or .npz file, a folder of .npy files, or "
                 ".npy files: q, k, v and out; or x, weights and out");
  app.add_option("--heads", options.n_heads, "query heads; all that divide are "
                 "tried if it is not said")->check(CLI::Range(1, 1000000));
  app.add_option("--kv-heads", options.n_kv_heads, "key/value heads")
      ->check(CLI::Range(1, 1000000));
  app.add_flag("--causal", options.causal, "later keys are meant to be hidden");
  app.add_flag("--not-causal", options.not_causal, "every key may be seen");
  app.add_option("--scale", options.scale, "factor on the dot products, unless "
                 "it is 1 / sqrt(d_head)");
  app.add_option("--axes", options.told.layout,
                 "order of q's axes: bthd, bhtd, tbhd, btd, tbd, htd, thd, td")
      ->check(CLI::IsMember(layouts()));
  app.add_option("--mask-true", options.mask_true,
                 "what true means in the mask: attends, or hides")
      ->check(CLI::IsMember({"attends", "hides"}));
  app.add_flag("--json", options.json, "print JSON");
  app.add_option("--svg", options.svg, "draw where the output differs");
  app.add_option("--example", options.example,
                 "write a file that has this bug; right for none");
  app.add_flag("--examples", options.examples, "list the examples");
  app.add_option("--output", options.output, "where to write the example");
  app.add_option("--type", options.type, "what it was computed in, if the "
                 "numbers do not tell; or of the example: float16, bfloat16, "
                 "float32 or float64");
}

// What has no effect is refused: it was meant for something else.
void refuse_idle_options(const CLI::App& app, const Options& options) {
  const bool writes = !options.example.empty();
  if (app.count("--output") > 0 && !writes) {
    throw ReadingProblem("--output belongs to --example; name one, or leave "
                         "--output out");
  }
  if (!writes && !options.examples) return;
  const char* mode = writes ? "--example" : "--examples";
  for (const char* name : {"FILE", "--example", "--examples", "--heads",
                           "--kv-heads", "--causal", "--not-causal", "--scale",
                           "--axes", "--mask-true", "--json", "--svg"}) {
    if (std::string(name) != mode && app.count(name) > 0) {
      throw ReadingProblem(fmt::format(
          "{} diagnoses no file, so {} has no effect; leave one out", mode,
          name));
    }
  }
}

int run(CLI::App& app, Options& options) {
  refuse_idle_options(app, options);
  if (options.examples) {
    for (const std::string& name : example_names()) fmt::print("{}\n", name);
    return 0;
  }
  if (!options.example.empty()) return write_example(options);
  if (options.files.empty()) {
    throw ReadingProblem("diagnose needs a file; ./mha help diagnose says what "
                         "is in it, --example right writes one");
  }
  if (options.causal && options.not_causal) {
    throw ReadingProblem("--causal and --not-causal say opposite things; "
                         "leave one out");
  }
  Told& told = options.told;
  if (app.count("--heads") > 0) told.n_heads = options.n_heads;
  if (app.count("--kv-heads") > 0) told.n_kv_heads = options.n_kv_heads;
  if (app.count("--scale") > 0) {
    if (!std::isfinite(options.scale)) {
      throw ReadingProblem("--scale takes a finite number");
    }
    told.scale = options.scale;
  }
  if (options.causal || options.not_causal) told.causal = options.causal;
  if (!options.mask_true.empty()) {
    told.true_attends = options.mask_true == "attends";
  }
  if (app.count("--type") > 0) told.type = type_named(options.type);
  return diagnose_files(options);
}

}  // namespace

int main(int argc, char** argv) {
  // Large tables come and go: giving each back to the system takes a third of
  // the time.
  mallopt(M_MMAP_THRESHOLD, 1 << 30);
  mallopt(M_TRIM_THRESHOLD, 1 << 30);
  CLI::App app("Names the bug in an attention from its tensors.", "diagnose");
  Options options;
  add_options(app, options);
  try {
    app.parse(argc, argv);
    return run(app, options);
  } catch (const CLI::CallForHelp& help) {
    return app.exit(help);
  } catch (const CLI::ParseError& error) {
    fmt::print(stderr, "diagnose: {}; --help lists the options\n",
               error.what());
  } catch (const std::bad_alloc&) {
    fmt::print(stderr, "diagnose: not enough memory; give fewer tokens\n");
  } catch (const std::exception& error) {
    fmt::print(stderr, "diagnose: {}\n", error.what());
  }
  return 1;
}
