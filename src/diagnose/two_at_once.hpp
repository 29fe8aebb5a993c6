/// \file two_at_once.hpp
/// Work for two threads.
#pragma once

#include <exception>
#include <system_error>
#include <thread>

namespace diagnose {

/// Does two pieces of work at once; one after the other where the system gives
/// no second thread, as in a web page.
/// \param here   done by the calling thread
/// \param there  done by the other one; they share nothing that is written
/// \throws what one of them threw, when both have ended
template <typename Here, typename There>
void two_at_once(const Here& here, const There& there) {
  std::exception_ptr problem;
  const auto keep_problem = [&problem](const auto& work) {
    try {
      work();
    } catch (...) {
      problem = std::current_exception();
    }
  };
  std::thread other;
  try {
    other = std::thread(keep_problem, there);
  } catch (const std::system_error&) {
    there();
  }
  try {
    here();
  } catch (...) {
    if (other.joinable()) other.join();
    throw;
  }
  if (other.joinable()) other.join();
  if (problem) std::rethrow_exception(problem);
}

}  // namespace diagnose
