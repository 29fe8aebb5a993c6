#include "variation.hpp"

#include "cases.hpp"

#include <algorithm>

namespace diagnose {
namespace {

using gallery::Steps;

bool with_mask(const Traits& traits) { return traits.any_mask(); }
bool with_causal(const Traits& traits) { return traits.causal; }
bool with_pairs(const Traits& traits) { return traits.pairs; }
bool with_padding(const Traits& traits) { return traits.padding; }
bool with_bias(const Traits& traits) { return traits.bias; }
bool with_shared(const Traits& traits) { return traits.shared; }
bool with_batch(const Traits& traits) { return traits.batched; }
bool with_scale(const Traits& traits) { return traits.scale; }

// Cases of the gallery whose output tells nothing, or nothing twice: those
// that refuse nothing, return other weights, or draw at random.
bool is_seen_in_output(const gallery::Case& one) {
  static const std::vector<std::string> unseen = {
      "truncated-head",  "broadcast-batch",      "causal-lost",
      "averaged-maps",   "dropout-when-testing", "dropped-weights",
      "zero-times-nan"};
  return one.verdict == gallery::Verdict::bug &&
         std::count(unseen.begin(), unseen.end(), one.name) == 0;
}

// When the step that a case exchanges has anything to do.
bool (*matters_of(const gallery::Case& one))(const Traits&) {
  static const std::vector<std::pair<std::string, bool (*)(const Traits&)>>
      some = {{"inverted-mask", with_pairs},
              {"top-left-corner", with_causal},
              {"corner-sign", with_causal},
              {"mask-lost-with-cache", with_causal},
              {"newest-row-for-all", with_mask},
              {"empty-row-nan", with_mask},
              {"float-mask-as-bool", with_bias},
              {"mask-after-softmax", with_mask},
              {"tiny-fill", with_mask},
              {"half-fill", with_mask},
              {"added-minima", with_mask},
              {"ones-added", with_mask},
              {"padding-by-query", with_padding},
              {"kv-tiled", with_shared},
              {"kv-along-sequence", with_shared},
              {"sequence-first", with_batch},
              {"scale-from-d-head", with_scale}};
  for (const auto& [name, matters] : some) {
    if (name == one.name) return matters;
  }
  return nullptr;
}

void add_gallery(std::vector<Variation>& all,
                 const std::vector<gallery::Case>& cases,
                 const std::string& page) {
  for (const gallery::Case& one : cases) {
    if (!is_seen_in_output(one)) continue;
    Variation variation = {one.name, one.symptom, one.mend, page, one.steps,
                           one.rewrite};
    variation.across = one.name == "softmax-over-queries";
    variation.coarse = one.name == "half-scores";
    variation.is_symptom = true;
    variation.matters = matters_of(one);
    all.push_back(std::move(variation));
  }
}

// Takes over a step that `from` exchanges; false when both do.
template <typename Step>
bool join(Step& into, Step from, Step right) {
  if (from == right) return true;
  if (into != right) return false;
  into = from;
  return true;
}

bool join_steps(Steps& into, const Steps& from) {
  const Steps right;
  return join(into.check, from.check, right.check) &&
         join(into.take, from.take, right.take) &&
         join(into.kv_head, from.kv_head, right.kv_head) &&
         join(into.scale, from.scale, right.scale) &&
         join(into.score, from.score, right.score) &&
         join(into.visible, from.visible, right.visible) &&
         join(into.weigh, from.weigh, right.weigh) &&
         join(into.drop, from.drop, right.drop) &&
         join(into.mix, from.mix, right.mix) &&
         join(into.keep, from.keep, right.keep) &&
         join(into.put, from.put, right.put) &&
         join(into.finish, from.finish, right.finish);
}

}  // namespace

const std::vector<Variation>& variations() {
  static const std::vector<Variation> all = [] {
    std::vector<Variation> list;
    add_gallery(list, gallery::layout_cases(), "05a_wrong_splits");
    add_gallery(list, gallery::size_and_scale_cases(), "05b_wrong_masks");
    add_gallery(list, gallery::mask_cases(), "05b_wrong_masks");
    add_gallery(list, gallery::softmax_cases(), "05c_wrong_softmax");
    add_gallery(list, gallery::returned_cases(), "05c_wrong_softmax");
    for (Variation& one : more_variations()) list.push_back(std::move(one));
    return list;
  }();
  return all;
}

std::string what_text(const Variation& one) {
  return (one.is_symptom ? "one sees: " : "in the code: ") + one.what;
}

const Variation* find_variation(const std::string& name) {
  for (const Variation& one : variations()) {
    if (one.name == name) return &one;
  }
  return nullptr;
}

std::string Hypothesis::name() const {
  if (parts.empty()) return "right";
  std::string text;
  for (const Variation* part : parts) {
    text += (text.empty() ? "" : " + ") + part->name;
  }
  return text;
}

std::optional<Hypothesis> combine(const std::vector<const Variation*>& parts) {
  Hypothesis all;
  all.parts = parts;
  for (const Variation* part : parts) {
    if (!join_steps(all.steps, part->steps)) return {};
    if (!join(all.rewrite.before, part->rewrite.before, {})) return {};
    if (!join(all.rewrite.after, part->rewrite.after, {})) return {};
    if (!join(all.reread, part->reread, {})) return {};
    all.by_heads = all.by_heads || part->by_heads;
    all.adds_input = all.adds_input || part->adds_input;
    all.across = all.across || part->across;
    all.coarse = all.coarse || part->coarse;
  }
  return all;
}

}  // namespace diagnose
