// SPDX-License-Identifier: Apache-2.0
#include "base/fault_point.h"

#include <unistd.h>

#include <atomic>
#include <charconv>
#include <csignal>
#include <cstdlib>

namespace evictd::base {

namespace {

struct Armed {
  FaultPoint point = FaultPoint::kNone;
  int time = 1;
};

FaultPoint point_of(std::string_view name) {
#define EVICTD_FAULT_POINT_OF_NAME(enumerator, text) \
  if (name == (text)) {                              \
    return FaultPoint::enumerator;                   \
  }
  EVICTD_FAULT_POINTS(EVICTD_FAULT_POINT_OF_NAME)
  EVICTD_KUBE_FAULT_POINTS(EVICTD_FAULT_POINT_OF_NAME)
#undef EVICTD_FAULT_POINT_OF_NAME
  return FaultPoint::kNone;
}

Armed armed_by_environment() {
  const char* const value = std::getenv("EVICTD_FAULT_POINT");
  if (value == nullptr) {
    return {};
  }
  const std::string_view text(value);
  const std::size_t colon = text.find(':');
  Armed armed{.point = point_of(text.substr(0, colon)), .time = 1};
  if (colon != std::string_view::npos) {
    std::from_chars(text.data() + colon + 1, text.data() + text.size(), armed.time);
  }
  return armed;
}

const Armed kArmed = armed_by_environment();

/// How many more times the armed point must be reached; two threads reach it.
std::atomic<int>& times_left() {
  static std::atomic<int> left{kArmed.time};
  return left;
}

}  // namespace

const FaultPoint kArmedFaultPoint = kArmed.point;

std::string_view to_string(FaultPoint point) {
  switch (point) {
    case FaultPoint::kNone:
      return "";
#define EVICTD_FAULT_POINT_NAME(enumerator, text) \
  case FaultPoint::enumerator:                    \
    return text;
      EVICTD_FAULT_POINTS(EVICTD_FAULT_POINT_NAME)
      EVICTD_KUBE_FAULT_POINTS(EVICTD_FAULT_POINT_NAME)
#undef EVICTD_FAULT_POINT_NAME
  }
  return "";
}

void reach_armed_fault_point() {
  if (times_left().fetch_sub(1) == 1) {
    ::kill(::getpid(), SIGKILL);
  }
}

}  // namespace evictd::base
