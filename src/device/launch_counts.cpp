#include "device/launch_counts.hpp"

namespace device {

Traffic& Traffic::operator+=(const Traffic& other) {
  loads += other.loads;
  stores += other.stores;
  bytes_loaded += other.bytes_loaded;
  bytes_stored += other.bytes_stored;
  load_requests += other.load_requests;
  store_requests += other.store_requests;
  load_segments += other.load_segments;
  store_segments += other.store_segments;
  bank_passes += other.bank_passes;
  return *this;
}

}  // namespace device
