/// \file device_exercise.hpp
/// What an exercise that holds a kernel needs: CUDA's words, launches and the
/// book's device, with nothing heavy, since every access of it is watched.
#pragma once

#include "device/cuda_source.hpp"
#include "device/observe.hpp"

#include <cstdint>
#include <string>
#include <vector>
