// SPDX-License-Identifier: Apache-2.0
// What a record tells of limits on local storage.
#include <algorithm>
#include <chrono>

#include "daemon/record_builder.h"
#include "eviction/local_storage.h"

namespace evictd::daemon {

namespace {

std::string_view what_of(eviction::LocalLimit limit) {
  switch (limit) {
    case eviction::LocalLimit::kEmptyDir:
      return "volume";
    case eviction::LocalLimit::kPod:
      return "pod";
    case eviction::LocalLimit::kContainer:
      return "container";
  }
  return "";
}

}  // namespace

exporting::RecordedLocalStorage make_local_storage(const MeasuredBreach& measured,
                                                   eviction::DiskLayout layout,
                                                   eviction::Compat compat, MonoTime now) {
  const eviction::LocalStorageAmounts amounts = eviction::local_storage_amounts(
      measured.pod, measured.statistics, measured.breach, layout, compat);
  const auto age =
      std::chrono::duration_cast<std::chrono::microseconds>(now - measured.measured_at);
  exporting::RecordedLocalStorage recorded;
  recorded.what = what_of(measured.breach.limit);
  recorded.name = amounts.name;
  recorded.used_bytes = amounts.used;
  recorded.limit_bytes = amounts.limit;
  recorded.age_us = std::max<std::int64_t>(age.count(), 0);
  recorded.method = disk::to_string(measured.method);
  recorded.complete = measured.complete;
  return recorded;
}

}  // namespace evictd::daemon
