#include "my_attention.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

namespace {

// One query. Its keys and values lie `step` floats apart.
void attend(const float* q, const float* k, const float* v, float* out,
            long keys, long d, long step, float scale) {
  std::fill(out, out + d, 0.0F);
  if (keys <= 0) return;
  std::vector<float> scores;
  for (long j = 0; j < keys; ++j) {
    float dot = 0;
    for (long c = 0; c < d; ++c) dot += q[c] * k[j * step + c];
    scores.push_back(scale * dot);
  }
  const float highest = *std::max_element(scores.begin(), scores.end());
  float total = 0;
  for (float& s : scores) total += s = std::exp(s - highest);
  for (long j = 0; j < keys; ++j)
    for (long c = 0; c < d; ++c)
      out[c] += scores[static_cast<std::size_t>(j)] / total * v[j * step + c];
}

void all_queries(const float* q, const float* k, const float* v, float* out,
                 const mha::PointerSizes<float>& s, bool tokens_first) {
  const long d = s.d_head;
  for (long b = 0; b < s.batch; ++b)
    for (long h = 0; h < s.n_heads; ++h)
      for (long i = 0; i < s.t_q; ++i) {
        const long kv = h / (s.n_heads / s.n_kv_heads);
        const long item = b * s.n_kv_heads * s.t_k * d;
        const long head = tokens_first ? kv * d : kv * s.t_k * d;
        const long step = tokens_first ? s.n_kv_heads * d : d;
        const long row = ((b * s.n_heads + h) * s.t_q + i) * d;
        const long keys = s.causal ? i + s.t_k - s.t_q + 1 : s.t_k;
        attend(q + row, k + item + head, v + item + head, out + row, keys, d,
               step, s.scale);
      }
}

}  // namespace

void my_attention(const float* q, const float* k, const float* v, float* out,
                  const mha::PointerSizes<float>& s) {
  all_queries(q, k, v, out, s, false);
}

void my_wrong_attention(const float* q, const float* k, const float* v,
                        float* out, const mha::PointerSizes<float>& s) {
  all_queries(q, k, v, out, s, true);
}
