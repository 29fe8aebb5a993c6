#define DOCTEST_CONFIG_IMPLEMENT
#include "mha/program.hpp"

#include <CLI/CLI.hpp>
#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <memory>

namespace mha {
namespace {

// [request]
// What the command line asks for besides the chapter's own options.
struct Request {
  std::string values_file;
  std::string svg_file;
  std::string figure;
};
// [request]

// [add option]
void add_option(CLI::App& app, const Option& option) {
  if (bool* const* flag = std::get_if<bool*>(&option.value)) {
    app.add_flag(option.name, **flag, option.help);
    return;
  }
  if (std::string* const* word = std::get_if<std::string*>(&option.value)) {
    app.add_option(option.name, **word, option.help)->type_name("NAME");
    return;
  }
  app.add_option(option.name, *std::get<Index*>(option.value), option.help)
      ->check(CLI::Range(option.least, option.most))
      ->capture_default_str();
}
// [add option]

// [parser]
std::unique_ptr<CLI::App> make_parser(const Chapter& chapter,
                                      Request& request) {
  auto app = std::make_unique<CLI::App>(chapter.about, chapter.name);
  for (const Option& option : chapter.options) add_option(*app, option);
  app->add_option("--values", request.values_file,
                  "write the numbers the book quotes to FILE (JSON)")
      ->type_name("FILE");
  CLI::Option* svg =
      app->add_option("--svg", request.svg_file, "write a figure to FILE")
          ->type_name("FILE");
  std::vector<std::string> names;
  for (const Figure& figure : chapter.figures) names.push_back(figure.name);
  app->add_option("--figure", request.figure, "which figure --svg writes")
      ->check(CLI::IsMember(names))
      ->needs(svg);
  app->footer("  --test [OPTIONS]            check the claims of the chapter\n"
              "                              (OPTIONS as doctest takes them)");
  return app;
}
// [parser]

// [write file]
void refuse_file(const std::string& path) {
  throw std::invalid_argument(fmt::format(
      "cannot write {}; is its folder there and writable?", path));
}

// Before the work whose result goes there.
void need_place(const std::filesystem::path& path) {
  const std::filesystem::path folder = path.parent_path();
  if (is_directory(path) || !(folder.empty() || is_directory(folder)))
    refuse_file(path.string());
}

void write_file(const std::string& path, const std::string& text) {
  std::ofstream file(path, std::ios::binary);
  file << text << '\n';
  file.close();
  if (file.fail()) refuse_file(path);
}
// [write file]

// [describe]
nlohmann::ordered_json described(const Option& option) {
  nlohmann::ordered_json of = {{"name", option.name}, {"help", option.help}};
  if (bool* const* flag = std::get_if<bool*>(&option.value)) {
    of["kind"] = "flag";
    of["default"] = **flag;
  } else if (std::string* const* word =
                 std::get_if<std::string*>(&option.value)) {
    of["kind"] = "word";
    of["default"] = **word;
    of["words"] = option.words;
  } else {
    of["kind"] = "number";
    of["default"] = *std::get<Index*>(option.value);
    of["least"] = option.least;
    of["most"] = option.most;
  }
  return of;
}

// The options that a page can offer, as JSON.
void describe(const Chapter& chapter) {
  nlohmann::ordered_json options = nlohmann::ordered_json::array();
  for (const Option& option : chapter.options) {
    if (!option.machine) options.push_back(described(option));
  }
  fmt::print("{}\n", nlohmann::ordered_json{{"name", chapter.name},
                                            {"about", chapter.about},
                                            {"options", options}}
                         .dump(2));
}
// [describe]

// [draw]
std::string draw(const Chapter& chapter, const std::string& name) {
  require(!chapter.figures.empty(), "this program has no figure");
  for (const Figure& figure : chapter.figures) {
    if (name.empty() || figure.name == name) return figure.draw();
  }
  throw std::invalid_argument(fmt::format("there is no figure {}", name));
}
// [draw]

// [answer]
void answer(const Chapter& chapter, const Request& request) {
  for (const std::string& file : {request.values_file, request.svg_file})
    if (!file.empty()) need_place(file);
  if (!request.values_file.empty()) {
    write_file(request.values_file, chapter.values().json());
  }
  if (!request.svg_file.empty()) {
    write_file(request.svg_file, draw(chapter, request.figure));
  }
  if (request.values_file.empty() && request.svg_file.empty()) chapter.demo();
}
// [answer]

// [claims]
int check_claims(int argc, char** argv) {
  doctest::Context claims;
  claims.applyCommandLine(argc - 1, argv + 1);
  return claims.run();
}
// [claims]

}  // namespace

// [run chapter]
int run_chapter(const Chapter& chapter, int argc, char** argv) {
  if (argc > 1 && std::string_view(argv[1]) == "--test") {
    return check_claims(argc, argv);
  }
  // For the page in which the program runs, which offers these options.
  if (argc == 2 && std::string_view(argv[1]) == "--describe") {
    describe(chapter);
    return 0;
  }
  Request request;
  const std::unique_ptr<CLI::App> parser = make_parser(chapter, request);
  const auto complain = [&](std::string line) {
    std::replace(line.begin(), line.end(), '\n', ' ');
    fmt::print(stderr, "{}: {}\n", chapter.name, line);
    return 1;
  };
  try {
    parser->parse(argc, argv);
    answer(chapter, request);
    require(std::fflush(stdout) == 0,
            "cannot write to standard output; is its disk full?");
    return 0;
  } catch (const CLI::CallForHelp& help) {
    return parser->exit(help);
  } catch (const CLI::ParseError& error) {
    return complain(
        fmt::format("{}; see {} --help", error.what(), chapter.name));
  } catch (const NotFetched& error) {
    complain(error.what());
    return 77;
  } catch (const std::exception& error) {
    return complain(error.what());
  }
}
// [run chapter]

// [heading]
void heading(std::string_view title) {
  static bool first = true;
  if (!first) fmt::print("\n");
  first = false;
  fmt::print("{}\n{:-<{}}\n", title, "", title.size());
}
// [heading]

}  // namespace mha
