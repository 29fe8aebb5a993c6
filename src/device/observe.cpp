#include "device/observe.hpp"

#include "device/access_watch.hpp"
#include "device/cpu_device.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <stdexcept>
#include <utility>

namespace device {

namespace {

// The device of the process: stacks for its threads, and the observation under
// way.
struct CpuDevice {
  FiberStacks stacks;
  const Options* options = nullptr;  // of the observe() we are in
  Report report;
  std::atomic<bool> busy{false};
};

CpuDevice& cpu_device() {
  static CpuDevice device;
  return device;
}

// Sets a flag for as long as it lives.
class Hold {
 public:
  Hold(std::atomic<bool>& flag, const char* otherwise) : flag_(flag) {
    if (flag_.exchange(true)) throw std::logic_error(otherwise);
  }
  ~Hold() { flag_ = false; }
  Hold(const Hold&) = delete;
  Hold& operator=(const Hold&) = delete;

 private:
  std::atomic<bool>& flag_;
};

bool alike(const Finding& a, const Finding& b) {
  const auto same_line = [](const Actor& one, const Actor& other) {
    return one.at.line == other.at.line && one.at.file == other.at.file;
  };
  return a.kind == b.kind && a.kernel == b.kernel && a.memory == b.memory &&
         std::equal(a.actors.begin(), a.actors.end(), b.actors.begin(),
                    b.actors.end(), same_line);
}

void add(std::vector<Finding>& findings, Finding next) {
  for (Finding& finding : findings) {
    if (!alike(finding, next)) continue;
    finding.count += next.count;
    return;
  }
  findings.push_back(std::move(next));
}

Finding refusal(const KernelName& name, const std::string& why,
                             const LaunchLimits& limits) {
  Finding found;
  found.kind = FindingKind::launch_over_limit;
  found.kernel = name.name;
  found.actors.resize(1);
  found.actors[0].at = source_line_of({name.file, name.line});
  found.text = fmt::format("{}: the launch at {} is over the limits of {}: {}",
                           name.name, to_text(found.actors[0].at), limits.card,
                           why);
  return found;
}

std::vector<Finding> run_watched(const KernelName& name,
                                 const LaunchShape& shape,
                                 const KernelCall& call,
                                 const Options& options) {
  CpuDevice& device = cpu_device();
  AccessWatch& watch = access_watch();
  KernelRun run(name, shape, call, options.seed, options.watch, device.stacks);
  if (options.watch) {
    watch.launch_begins(name.name, shape.grid.total(),
                        static_cast<int>(shape.block.total()));
  }
  const auto finish = [&] {
    std::vector<Finding> findings = run.findings();
    if (!options.watch) return findings;
    const LaunchCounts& counts =
        device.report.launches.emplace_back(watch.launch_ends());
    if (const std::string why =
            over_shared_limit(counts.static_shared_bytes,
                              counts.dynamic_shared_bytes, options.limits);
        !why.empty()) {
      findings.push_back(refusal(name, why, options.limits));
    }
    for (Finding& finding : watch.take_findings()) {
      findings.push_back(std::move(finding));
    }
    return findings;
  };
  try {
    run.run();
  } catch (...) {
    finish();
    throw;
  }
  return finish();
}

}  // namespace

void run_kernel(const KernelName& name, const LaunchShape& shape,
                const KernelCall& call) {
  CpuDevice& device = cpu_device();
  static std::atomic<bool> launching{false};
  const Hold hold(launching,
                  "a kernel was launched while another runs on the CPU device");
  Options alone;
  alone.watch = false;
  const Options& options = device.options ? *device.options : alone;
  std::vector<Finding> findings;
  if (const std::string why = over_limit(shape, options.limits); !why.empty()) {
    findings.push_back(refusal(name, why, options.limits));
  } else {
    device.stacks.provide(shape.block.total(), options.stack_bytes);
    findings = run_watched(name, shape, call, options);
  }
  for (Finding& finding : findings) {
    if (device.options == nullptr) throw std::runtime_error(finding.text);
    add(device.report.findings, std::move(finding));
  }
}

Report observe(const Options& options, const std::function<void()>& run) {
  CpuDevice& device = cpu_device();
  const Hold hold(device.busy, "observe was called while another observes");
  device.report = {};
  device.options = &options;
  try {
    run();
  } catch (...) {
    device.options = nullptr;
    throw;
  }
  device.options = nullptr;
  return std::move(device.report);
}

}  // namespace device
