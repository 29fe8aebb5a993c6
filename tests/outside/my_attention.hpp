// An attention of somebody's own, on float pointers (batch, heads, T, d_head),
// and the same with a bug.
#pragma once

#include <mha/pointer_attention.hpp>

void my_attention(const float* q, const float* k, const float* v, float* out,
                  const mha::PointerSizes<float>& s);

// Reads its heads as if tokens came before heads.
void my_wrong_attention(const float* q, const float* k, const float* v,
                        float* out, const mha::PointerSizes<float>& s);
