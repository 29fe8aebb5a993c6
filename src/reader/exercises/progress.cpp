#include "reader/exercises/progress.hpp"

#include "reader/exercises/problem.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>

namespace reader {
namespace {

using nlohmann::json;

constexpr int version = 1;

Record read_record(const json& entry) {
  Record record;
  record.file = entry.at("file").get<std::string>();
  record.started = entry.value("started", "");
  record.solved = entry.value("solved", "");
  record.shipped = entry.value("shipped", "");
  record.hints = std::max(0, entry.value("hints", 0));
  return record;
}

// Throws json::exception when the text is not what save() writes.
std::map<std::string, Record> read_records(const std::string& text,
                                           const fs::path& file) {
  const json document = json::parse(text);
  const int found = document.at("version").get<int>();
  if (found > version) {
    fail(
        "{} was written by a later version of the book; update this one with "
        "git pull",
        shown(file));
  }
  std::map<std::string, Record> records;
  for (const auto& [number, entry] : document.at("exercises").items()) {
    records[number] = read_record(entry);
  }
  return records;
}

json as_json(const Record& record) {
  json entry = {{"file", record.file},
                {"hints", record.hints},
                {"shipped", record.shipped}};
  if (!record.started.empty()) entry["started"] = record.started;
  if (!record.solved.empty()) entry["solved"] = record.solved;
  return entry;
}

// Keeps what cannot be read, under another name.
std::string set_aside(const fs::path& file) {
  const fs::path aside = free_name(
      file.parent_path(), "progress.broken-" + date_and_time(), ".json");
  std::error_code refused;
  fs::rename(file, aside, refused);
  if (refused) {
    fail(
        "{} cannot be read as progress, and cannot be set aside: {}; move it "
        "away",
        shown(file), refused.message());
  }
  return fmt::format(
      "{} could not be read and is now {}; progress starts anew, "
      "your solutions are untouched",
      shown(file), aside.filename().string());
}

}  // namespace

Progress Progress::load(const Tree& tree,
                        const std::function<void(const std::string&)>& say) {
  Progress progress;
  const fs::path file = tree.progress();
  if (!fs::exists(fs::symlink_status(file))) return progress;
  if (fs::is_directory(file)) {
    say(set_aside(file));
    return progress;
  }
  const std::string text = read_file(file);
  try {
    progress.records_ = read_records(text, file);
  } catch (const json::exception&) {
    say(set_aside(file));
  }
  return progress;
}

Record Progress::of(const Exercise& exercise) const {
  for (const auto& [number, record] : records_) {
    if (record.file == exercise.file_name()) return record;
  }
  return {};
}

void Progress::put(const Exercise& exercise, Record record) {
  record.file = exercise.file_name();
  for (auto entry = records_.begin(); entry != records_.end();) {
    const bool same = entry->second.file == record.file;
    entry = same ? records_.erase(entry) : std::next(entry);
  }
  const auto other = records_.find(exercise.number());
  if (other != records_.end()) {
    const std::string former =
        fmt::format("{} was {}", exercise.number(), other->second.file);
    records_[former] = other->second;
  }
  records_[exercise.number()] = std::move(record);
}

void Progress::save(const Tree& tree) const {
  json exercises = json::object();
  for (const auto& [number, record] : records_) {
    exercises[number] = as_json(record);
  }
  const json document = {{"version", version}, {"exercises", exercises}};
  make_folder(tree.my());
  write_file(
      tree.progress(),
      document.dump(2, ' ', false, json::error_handler_t::replace) + '\n');
}

std::vector<Record> Progress::of_no_exercise(const Catalogue& catalogue) const {
  const auto is_known = [&](const Record& record) {
    return std::any_of(catalogue.begin(), catalogue.end(),
                       [&](const Exercise& exercise) {
                         return exercise.file_name() == record.file;
                       });
  };
  std::vector<Record> records;
  for (const auto& [number, record] : records_) {
    if (!is_known(record)) records.push_back(record);
  }
  return records;
}

}  // namespace reader
