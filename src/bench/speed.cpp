#include "speed.hpp"

#include "ladder.hpp"
#include "machine.hpp"

#include "mha/fused_forward.hpp"
#include "mha/generator.hpp"

#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <vector>

namespace bench {
namespace {

constexpr mha::Index d_head = 64;

double now() {
  return std::chrono::duration<double>(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

double peak_mib() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<double>(usage.ru_maxrss) / 1024;
}

// In a child: the answer goes to the pipe.
void attend_and_tell(bool fused, mha::Index tokens, int to) {
  const Inputs inputs(tokens, 1, false);
  const double before = peak_mib();
  if (fused) {
    mha::fused_forward(inputs.call(), {.threads = 1});
  } else {
    fused::ladder().front().attend(inputs.call());
  }
  const double grown = peak_mib() - before;
  const bool told = write(to, &grown, sizeof grown) == sizeof grown;
  _exit(told ? 0 : 1);
}

}  // namespace

Inputs::Inputs(mha::Index tokens, mha::Index heads, bool causal) {
  mha::TorchGenerator generator(0);
  q_ = generator.normal(heads * tokens, d_head);
  k_ = generator.normal(heads * tokens, d_head);
  v_ = generator.normal(heads * tokens, d_head);
  out_.setZero(heads * tokens, d_head);  // its memory is there from the start
  call_.q = q_.data();
  call_.k = k_.data();
  call_.v = v_.data();
  call_.out = out_.data();
  call_.q_at = call_.k_at = call_.v_at = call_.out_at = {
      .token = d_head, .head = tokens * d_head};
  call_.t_q = call_.t_k = tokens;
  call_.n_heads = call_.n_kv_heads = heads;
  call_.d_head = d_head;
  call_.scale = 0.125F;
  call_.causal = causal;
}

double Inputs::operations() const {
  const auto pairs = static_cast<double>(call_.t_q * call_.t_k * call_.n_heads);
  return 4 * pairs * d_head * (call_.causal ? 0.5 : 1);
}

Speed measure(const Contender& contender, const std::deque<Inputs>& places,
              double seconds) {
  const std::size_t least = (4 + places.size()) / places.size();
  const double part = seconds / static_cast<double>(places.size());
  std::vector<double> gflops, shares;
  for (const Inputs& inputs : places) {
    contender.attend(inputs.call());  // memory and threads to where they are
    const double end = now() + part;
    double peak_before = peak_gflops(contender.threads);
    for (std::size_t n = 0; n < least || (now() < end && n < 50); ++n) {
      const double start = now();
      contender.attend(inputs.call());
      const double speed = inputs.operations() / (now() - start) * 1e-9;
      const double peak_after = peak_gflops(contender.threads);
      gflops.push_back(speed);
      shares.push_back(2 * speed / (peak_before + peak_after));
      peak_before = peak_after;
    }
  }
  const mha::FusedCall& call = places.front().call();
  return {contender.what, call.t_q, call.n_heads, call.causal,
          contender.threads, spread_of(gflops), spread_of(shares)};
}

double memory_of(bool fused, mha::Index tokens) {
  int ends[2];
  if (pipe(ends) != 0) return -1;
  const pid_t child = fork();
  if (child == 0) attend_and_tell(fused, tokens, ends[1]);
  close(ends[1]);
  double grown = -1;
  if (read(ends[0], &grown, sizeof grown) != sizeof grown) grown = -1;
  close(ends[0]);
  if (child > 0) waitpid(child, nullptr, 0);
  return grown;
}

}  // namespace bench
