#include "pieces.hpp"

#include "model_problem.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <limits>

namespace trained {

// [vocabulary by text]
Vocabulary::Vocabulary(std::vector<Piece> pieces, Index reserved)
    : pieces_(std::move(pieces)) {
  for (Index id = reserved; id < size(); ++id) {
    const std::string& piece = text(id);
    ids_.insert_or_assign(piece, id);
    longest_ = std::max<Index>(longest_, std::ssize(piece));
  }
}

const std::string& Vocabulary::text(Index id) const {
  return pieces_.at(static_cast<std::size_t>(id)).text;
}

Index Vocabulary::find(std::string_view text) const {
  const auto found = ids_.find(text);
  return found == ids_.end() ? -1 : found->second;
}

double Vocabulary::log_probability(Index id) const {
  return pieces_.at(static_cast<std::size_t>(id)).log_probability;
}
// [vocabulary by text]

namespace {

// [characters]
// How many bytes the character that begins here has. A byte that begins none
// counts as one.
Index character_at(std::string_view text, Index place) {
  const auto first =
      static_cast<unsigned char>(text[static_cast<std::size_t>(place)]);
  const Index length = first < 0x80 ? 1 : first < 0xe0 ? 2 : first < 0xf0 ? 3
                                                                          : 4;
  return std::min(length, std::ssize(text) - place);
}

// SentencePiece writes every space as this sign, and one before the text.
constexpr std::string_view space = "\u2581";

std::string with_visible_spaces(std::string_view text) {
  std::string visible(space);
  for (const char c : text) {
    if (c == ' ') visible += space;
    else visible += c;
  }
  return visible;
}
// [characters]

// [best cut]
// The best way to cut the text up to some place: what it scores, and the last
// piece of it.
struct Cut {
  double score = -std::numeric_limits<double>::infinity();
  Index begin = -1;  // where its last piece begins
  Index id = 0;
};

// A character that is no piece is passed over at the price of many pieces.
constexpr double unknown = -100;

// best[i] for every place i. A place inside a character is never reached.
std::vector<Cut> best_cuts(const Vocabulary& vocabulary,
                           std::string_view text) {
  const Index size = std::ssize(text);
  std::vector<Cut> best(static_cast<std::size_t>(size) + 1);
  best[0].score = 0;
  for (Index begin = 0; begin < size; begin += character_at(text, begin)) {
    const double before = best[static_cast<std::size_t>(begin)].score;
    const auto offer = [&](Index end, Index id, double score) {
      Cut& cut = best[static_cast<std::size_t>(end)];
      if (before + score >= cut.score) cut = {before + score, begin, id};
    };
    const Index next = begin + character_at(text, begin);
    Index end = begin;
    while (end < size && end - begin < vocabulary.longest()) {
      end += character_at(text, end);
      const Index id = vocabulary.find(
          text.substr(static_cast<std::size_t>(begin),
                      static_cast<std::size_t>(end - begin)));
      if (id >= 0) offer(end, id, vocabulary.log_probability(id));
      else if (end == next) offer(end, 0, unknown);
    }
  }
  return best;
}
// [best cut]

}  // namespace

// [tokenize text]
std::vector<Index> tokenize(const Vocabulary& vocabulary,
                            std::string_view text) {
  if (text.empty()) return {};
  const std::string visible = with_visible_spaces(text);
  const std::vector<Cut> best = best_cuts(vocabulary, visible);
  std::vector<Index> ids;
  for (std::size_t end = visible.size(); end > 0;) {
    const Cut& cut = best[end];
    const bool unknown_again = cut.id == 0 && !ids.empty() && ids.back() == 0;
    if (!unknown_again) ids.push_back(cut.id);  // a run of them is one
    end = static_cast<std::size_t>(cut.begin);
  }
  std::reverse(ids.begin(), ids.end());
  return ids;
}
// [tokenize text]

// [read vocabulary]
Vocabulary read_vocabulary(std::string_view json) {
  constexpr Index most_pieces = 65536, longest_piece = 256, reserved = 6;
  const nlohmann::json rows = parse_json(json, "vocab.json");
  refuse_unless(rows.is_array() && std::ssize(rows) > reserved &&
                    std::ssize(rows) <= most_pieces,
                "vocab.json is no list of {} to {} pieces; fetch the model "
                "again", reserved + 1, most_pieces);
  std::vector<Piece> pieces;
  for (const nlohmann::json& row : rows) {
    refuse_unless(row.is_array() && row.size() == 2 && row[0].is_string() &&
                      (row[1].is_number() || row[1].is_null()),
                  "vocab.json: entry {} is not [\"piece\", number]; fetch the "
                  "model again", pieces.size());
    // Null, in the pieces with a colon, counts as 0 where the model comes from.
    pieces.push_back({row[0].get<std::string>(),
                      row[1].is_null() ? 0 : row[1].get<double>()});
    const Piece& piece = pieces.back();
    refuse_unless(!piece.text.empty() &&
                      std::ssize(piece.text) <= longest_piece &&
                      std::isfinite(piece.log_probability),
                  "vocab.json: piece {} is empty, longer than {} bytes or "
                  "without a finite number; fetch the model again",
                  pieces.size() - 1, longest_piece);
  }
  return Vocabulary(std::move(pieces), reserved);
}
// [read vocabulary]

}  // namespace trained
