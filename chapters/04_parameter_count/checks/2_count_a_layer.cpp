#include "exercise/exercise.hpp"

#include <doctest/doctest.h>

#include <limits>
#include <optional>
#include <string>
#include <vector>

mha::Index attention_parameters(mha::Index d_model, mha::Index n_heads,
                                mha::Index n_kv_heads, mha::Index d_head);

namespace {

using mha::Index;

struct Case {
  const char* name;
  Index d_model, n_heads, n_kv_heads, d_head, expected;
  const char* lesson;
};

// What it was refused with, or nothing when a number came back.
std::optional<std::string> refusal(Index d_model, Index n_heads,
                                   Index n_kv_heads, Index d_head) {
  try {
    attention_parameters(d_model, n_heads, n_kv_heads, d_head);
    return std::nullopt;
  } catch (const std::invalid_argument& error) {
    return error.what();
  }
}

bool is_digit(char c) { return '0' <= c && c <= '9'; }

// Whether the number stands in the text by itself: "37" is not in "1370".
bool names(const std::string& text, const std::string& number) {
  for (std::size_t at = text.find(number); at != std::string::npos;
       at = text.find(number, at + 1)) {
    const std::size_t end = at + number.size();
    const bool begins = at == 0 || !is_digit(text[at - 1]);
    const bool ends = end == text.size() || !is_digit(text[end]);
    if (begins && ends) return true;
  }
  return false;
}

void expect_refused_naming(const std::optional<std::string>& message,
                           const std::string& what,
                           const std::vector<std::string>& numbers) {
  mha::expect(message.has_value(),
              what + "\nexpected a refusal (std::invalid_argument), got a "
                     "number.");
  for (const std::string& number : numbers) {
    mha::expect(names(*message, number),
                fmt::format("{}\nthe message is \"{}\".\nIt should name {}, so "
                            "that whoever reads it need not search.",
                            what, *message, number));
  }
}

}  // namespace

TEST_CASE("it counts what the four matrices hold") {
  const std::vector<Case> cases = {
      {"the reference layer", 8, 4, 4, 2, 256, "Four matrices of 8 x 8."},
      {"two of four heads with keys and values", 8, 4, 2, 2, 192,
       "w_k and w_v are 8 x 4: n_kv_heads times d_head columns."},
      {"one head with keys and values", 8, 4, 1, 2, 160,
       "w_k and w_v are 8 x 2: n_kv_heads times d_head columns."},
      {"heads wider than the token", 8, 4, 4, 5, 640,
       "All heads together are 20 wide, so w_q is 8 x 20 and w_o is 20 x 8."},
      {"a layer of Gemma 2 9B", 3584, 16, 8, 256, 44'040'192,
       "16 heads of 256 are 4,096 columns, on tokens of 3,584."},
      {"a layer of Llama 3 8B", 4096, 32, 8, 128, 41'943'040,
       "w_k and w_v have 8 x 128 columns, w_q has 32 x 128."},
      {"a layer beyond 32 bits", 65536, 512, 512, 128, 17'179'869'184,
       "Counts need 64 bits: use mha::Index all the way."}};
  for (const Case& c : cases) {
    const Index got =
        attention_parameters(c.d_model, c.n_heads, c.n_kv_heads, c.d_head);
    mha::expect(got == c.expected,
                fmt::format("{}: width {}, {} heads, {} with keys and values, "
                            "{} wide\nexpected {}\ngot      {}\n{}",
                            c.name, c.d_model, c.n_heads, c.n_kv_heads,
                            c.d_head, c.expected, got, c.lesson));
  }
}

TEST_CASE("key and value heads that do not divide are refused") {
  expect_refused_naming(refusal(8, 37, 11, 2),
                        "37 heads, 11 with keys and values", {"11", "37"});
  expect_refused_naming(refusal(8, 29, 58, 2),
                        "29 heads, 58 with keys and values", {"58", "29"});
  mha::expect(!refusal(8, 6, 3, 2),
              "6 heads, 3 with keys and values\nexpected a number, got a "
              "refusal. Two heads share each: that is a good shape.");
}

TEST_CASE("a count that does not fit in 64 bits is refused") {
  const Index big = Index{1} << 32;
  expect_refused_naming(refusal(big, 1, 1, big),
                        "width 2^32, one head of width 2^32", {"4294967296"});
  // 2^61 fits, and four times that does not.
  expect_refused_naming(refusal(Index{1} << 31, 1, 1, Index{1} << 30),
                        "width 2^31, one head of width 2^30: 4 x 2^61", {});
  // Each of these factors is small enough where one other has been looked at.
  const Index large = Index{1} << 40;
  expect_refused_naming(refusal(1, large, 1, large),
                        "width 1, 2^40 heads of width 2^40, one with keys and "
                        "values: d_model x d_head fits, and so does four times "
                        "that; the heads are a factor too", {});
  expect_refused_naming(refusal(large, large, 1, 1),
                        "width 2^40, 2^40 heads of width 1, one with keys and "
                        "values: the heads are a factor too", {});
  const Index most = std::numeric_limits<Index>::max();
  expect_refused_naming(refusal(1, most, most, 1),
                        "2^63 - 1 heads of width 1: the sum of the head "
                        "counts does not fit either", {});
  mha::expect(!refusal(Index{1} << 30, 1, 1, Index{1} << 30),
              "width 2^30, one head of width 2^30\nexpected 2^62, got a "
              "refusal. That still fits.");
}

// The last, since a remainder by 0 ends the program.
TEST_CASE("0 key and value heads are refused, and nothing is divided by 0") {
  expect_refused_naming(refusal(8, 37, 0, 2),
                        "37 heads, 0 with keys and values: 0 divides no number "
                        "of heads", {"0", "37"});
}
