// SPDX-License-Identifier: Apache-2.0
#include "daemon/control/process_usage.h"

#include <sys/resource.h>
#include <unistd.h>

#include <cstdint>
#include <fstream>
#include <nlohmann/json.hpp>

namespace evictd::daemon {

namespace {

double seconds(const timeval& time) {
  constexpr double kMicrosecondsInASecond = 1e6;
  return static_cast<double>(time.tv_sec) +
         static_cast<double>(time.tv_usec) / kMicrosecondsInASecond;
}

}  // namespace

nlohmann::ordered_json process_usage_json() {
  rusage used{};
  ::getrusage(RUSAGE_SELF, &used);
  nlohmann::ordered_json usage = {{"cpu_seconds", seconds(used.ru_utime) + seconds(used.ru_stime)},
                                  {"resident_bytes", nullptr}};
  std::ifstream statm("/proc/self/statm");
  std::int64_t size = 0;
  std::int64_t resident = 0;
  if (statm >> size >> resident) {
    usage["resident_bytes"] = resident * ::sysconf(_SC_PAGESIZE);
  }
  return usage;
}

}  // namespace evictd::daemon
