#include "mha/published_models.hpp"

#include <algorithm>

namespace mha {

// [models]
const std::vector<Model>& models() {
  constexpr Bias all = Bias::all, qkv = Bias::qkv, none = Bias::none;
  constexpr Norms norms = Norms::per_head;
  static const std::vector<Model> list = {
      {"GPT-2 124M", 12, {768, 12, 12, 64, all}, 28'348'416},
      {"GPT-2 XL", 48, {1600, 25, 25, 64, all}, 491'827'200},
      {"BERT-base", 12, {768, 12, 12, 64, all}, 28'348'416},
      {"BERT-large", 24, {1024, 16, 16, 64, all}, 100'761'600},
      {"GPT-3 175B", 96, {12288, 96, 96, 128, all}, 57'986'777'088},
      {"PaLM 8B", 32, {4096, 16, 1, 256}, 1'140'850'688},
      {"PaLM 62B", 64, {8192, 32, 1, 256}, 8'858'370'048},
      {"PaLM 540B", 118, {18432, 48, 1, 256}, 54'565'797'888},
      {"Falcon 7B", 32, {4544, 71, 1, 64}, 1'340'080'128},
      {"Falcon 40B", 60, {8192, 128, 8, 64}, 8'556'380'160},
      {"Llama 2 7B", 32, {4096, 32, 32, 128}, 2'147'483'648},
      {"Llama 2 70B", 80, {8192, 64, 8, 128}, 12'079'595'520},
      {"Llama 3 8B", 32, {4096, 32, 8, 128}, 1'342'177'280},
      {"Llama 3 70B", 80, {8192, 64, 8, 128}, 12'079'595'520},
      {"Llama 3.1 405B", 126, {16384, 128, 8, 128}, 71'873'593'344},
      {"Mistral 7B", 32, {4096, 32, 8, 128}, 1'342'177'280},
      {"Mixtral 8x7B", 32, {4096, 32, 8, 128}, 1'342'177'280},
      {"Gemma 2 2B", 26, {2304, 8, 4, 256}, 368'050'176},
      {"Gemma 2 9B", 42, {3584, 16, 8, 256}, 1'849'688'064},
      {"Gemma 2 27B", 46, {4608, 32, 16, 128}, 2'604'662'784},
      {"Gemma 3 1B", 26, {1152, 4, 1, 256, none, norms}, 76'690'432},
      {"Gemma 3 4B", 34, {2560, 8, 4, 256, none, norms}, 534'791'168},
      {"Gemma 3 12B", 48, {3840, 16, 8, 256, none, norms}, 2'264'948'736},
      {"Gemma 3 27B", 62, {5376, 32, 16, 128, none, norms}, 4'095'753'728},
      {"Qwen2.5 0.5B", 24, {896, 14, 2, 64, qkv}, 44'067'840},
      {"Qwen2.5 1.5B", 28, {1536, 12, 2, 128, qkv}, 154'198'016},
      {"Qwen2.5 3B", 36, {2048, 16, 2, 128, qkv}, 339'830'784},
      {"Qwen2.5 7B", 28, {3584, 28, 4, 128, qkv}, 822'212'608},
      {"Qwen2.5 14B", 48, {5120, 40, 8, 128, qkv}, 3'020'242'944},
      {"Qwen2.5 32B", 64, {5120, 40, 8, 128, qkv}, 4'026'990'592},
      {"Qwen2.5 72B", 80, {8192, 64, 8, 128, qkv}, 12'080'414'720},
      {"Qwen3 0.6B", 28, {1024, 16, 8, 128, none, norms}, 176'167'936},
      {"Qwen3 1.7B", 28, {2048, 16, 8, 128, none, norms}, 352'328'704},
      {"Qwen3 4B", 36, {2560, 32, 8, 128, none, norms}, 943'727'616},
      {"Qwen3 8B", 36, {4096, 32, 8, 128, none, norms}, 1'509'958'656},
      {"Qwen3 14B", 40, {5120, 40, 8, 128, none, norms}, 2'516'592'640},
      {"Qwen3 32B", 64, {5120, 64, 8, 128, none, norms}, 6'039'814'144},
      {"Qwen3 30B-A3B", 48, {2048, 32, 4, 128, none, norms}, 905'981'952},
      {"Qwen3 235B-A22B", 94, {4096, 64, 4, 128, none, norms}, 6'702'521'856},
      {"DeepSeek 67B", 95, {8192, 64, 8, 128}, 14'344'519'680}};
  return list;
}
// [models]

// [model named]
const Model& model_named(const std::string& name) {
  const auto found =
      std::find_if(models().begin(), models().end(),
                   [&](const Model& m) { return m.name == name; });
  require(found != models().end(), "there is no model {}", name);
  return *found;
}
// [model named]

// [latent models]
const std::vector<LatentModel>& latent_models() {
  static const std::vector<LatentModel> list = {
      {"DeepSeek-V2-Lite", 27, 2048, 16, 0, 512, 128, 64, 128, 371'602'944},
      {"DeepSeek-V2", 60, 5120, 128, 1536, 512, 128, 64, 128, 8'953'651'200},
      {"DeepSeek-V3", 61, 7168, 128, 1536, 512, 128, 64, 128, 11'413'547'008}};
  return list;
}
// [latent models]

}  // namespace mha
