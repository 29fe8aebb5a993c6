#include "my_attention.hpp"

#include <iostream>

int main(int argc, char**) {
  mha::Abilities can = mha::pointer_abilities<float>();
  can.infinite_scores = false;
  const auto report = mha::check_attention(
      mha::from_pointers(argc > 1 ? my_wrong_attention : my_attention,
                         mha::PointerLayout::batch_head_token), can);
  std::cout << report;
  return report.passed() ? 0 : 1;
}
