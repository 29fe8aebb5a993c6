// What the operating system gives while attention is computed.
#include "mha/fused_forward.hpp"
#include "mha/generator.hpp"

#include <doctest/doctest.h>

#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>

namespace {

using mha::Index;
using mha::Matrix;

long peak_kib() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return usage.ru_maxrss;
}

// How many MiB the peak of a process grows while attention runs; the inputs
// and the output are there before. In a child, so that nothing that ran
// earlier has raised the peak already. -1 when it fails.
int growth_mib(Index tokens, bool fused) {
  const pid_t child = fork();
  if (child == 0) {
    const Matrix<float> x = Matrix<float>::Constant(tokens, 8, 0.5F);
    Matrix<float> out = Matrix<float>::Ones(tokens, 8);
    const long before = peak_kib();
    if (fused) {
      mha::FusedCall call;
      call.q = call.k = call.v = x.data();
      call.out = out.data();
      call.t_q = call.t_k = tokens;
      call.d_head = 8;
      call.q_at = call.k_at = call.v_at = call.out_at = {.token = 8};
      mha::fused_forward(call, {.threads = 1});
    } else {
      out = mha::attention(x, x, x).context;
    }
    const long grown = peak_kib() - before;
    _exit(out(tokens - 1, 7) == 0.5F ? static_cast<int>(grown / 1024) : 255);
  }
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) && WEXITSTATUS(status) != 255 ? WEXITSTATUS(status)
                                                         : -1;
}

}  // namespace

TEST_CASE("16,384 tokens take less than 2 MiB beside input and output") {
  const int grown = growth_mib(16384, true);
  CHECK(grown >= 0);
  CHECK(grown < 2);
}

TEST_CASE("the measure of memory sees the naive layer's two score matrices") {
  // 2048 x 2048 floats twice, and a table of bools.
  CHECK(growth_mib(2048, false) >= 32);
}
