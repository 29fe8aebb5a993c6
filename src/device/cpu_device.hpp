/// \file cpu_device.hpp
/// Where launches on the CPU device begin.
#pragma once

#include "device/kernel_run.hpp"

namespace device {

/// Runs a kernel as the surrounding observe() says; outside of one in the order
/// of the threads, unwatched, and a fault is an exception.
/// \param name   the kernel's
/// \param shape  of the launch
/// \param call   what each thread runs
/// \throws std::runtime_error for a fault, outside of observe()
/// \throws std::logic_error from within a kernel
void run_kernel(const KernelName& name, const LaunchShape& shape,
                const KernelCall& call);

}  // namespace device
