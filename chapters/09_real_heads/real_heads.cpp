// Chapter 9: do trained heads really specialise?
#include "encoder.hpp"
#include "many_texts.hpp"
#include "marked_sentences.hpp"
#include "word_maps.hpp"
#include "mha/program.hpp"
#include <chrono>
int main() {
  using namespace trained;
  auto t0=std::chrono::steady_clock::now();
  auto lap=[&](const char*s){auto t=std::chrono::steady_clock::now();fmt::print("{} {:.3f}\n",s,std::chrono::duration<double>(t-t0).count());t0=t;};
  Model m = load_model(model_folder());
  lap("load");
  auto ids = pieces_of(m, lesson);
  for (auto i : ids) fmt::print("{}:{} ", m.vocabulary.text(i), i);
  auto r = read_text(m.encoder, ids);
  lap("\nread");
  auto rd = read_text(m.encoder.cast<double>(), ids);
  lap("read double");
  fmt::print("diff {:.2e}\n", (r.embedding.cast<double>()-rd.embedding).cwiseAbs().maxCoeff());
  fmt::print("{:.3f} {:.3f}\n", r.layers[1].result.weights[0](4,12), r.layers[1].result.weights[0](5,12));
  std::vector<std::vector<Index>> texts;
  Index tot=0;
  for (auto& s : marked_sentences()) { texts.push_back(pieces_of(m, s.text)); tot+=std::ssize(texts.back()); }
  fmt::print("{} sentences {} tokens\n", texts.size(), tot);
  lap("cut");
  ManyTexts many(m.encoder, texts);
  lap("stack");
  auto e = many.embeddings(all_open());
  lap("open");
  fmt::print("batch diff {:.2e}\n", (e.row(std::ssize(texts)-2)-r.embedding).cwiseAbs().maxCoeff());
  auto loss=[&](const Gates&g, InPlace p){ auto f=many.embeddings(g,p); return 1-(e.cwiseProduct(f)).rowwise().sum().cast<double>().mean(); };
  for (size_t h=0;h<8;++h){ Gates g=all_open(); g[h]=0; fmt::print("{} {:.4f} {:.4f}\n", head_name((Index)h), loss(g,InPlace::zero), loss(g,InPlace::mean)); }
  lap("singles");
}
