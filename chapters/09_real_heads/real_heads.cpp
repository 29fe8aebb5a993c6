// Chapter 9: do trained heads really specialise?
#include "encoder.hpp"
#include "head_ablation.hpp"
#include "relation_counts.hpp"
#include "trained_circuits.hpp"
#include <chrono>
int main() {
  using namespace trained;
  auto t0=std::chrono::steady_clock::now();
  auto lap=[&](const char*s){auto t=std::chrono::steady_clock::now();fmt::print("== {} {:.3f}\n",s,std::chrono::duration<double>(t-t0).count());t0=t;};
  Model m = load_model(model_folder());
  lap("load");
  ManyTexts many(m.encoder, marked_texts(m));
  lap("stack");
  auto all=count_relations(m, many);
  print_relations(all); print_verdicts(all); print_habits(m, many);
  lap("relations");
  Ablation ab(many);
  print_single_heads(ab); lap("single");
  print_pairs(ab); lap("pairs"); print_pruning(ab);
  lap("prune");
  print_written(m); lap("written"); print_circuits(m); lap("circuits"); print_pooled(m);
  lap("pooled");
  for (auto& c : all) for (Index h=0;h<8;++h) if (c.relation<Relation::to_previous) { auto i=wilson(c.hits(h),c.n()); fmt::print("{} {} {}/{} {:.2f} {:.2f} p={:.2g}\n", relation_name(c.relation), head_name(h), c.hits(h), c.n(), i.low,i.high,c.p_against_offset(h)); }
}
