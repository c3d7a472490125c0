// SPDX-License-Identifier: Apache-2.0
#include "recorder.h"

#include <gtest/gtest.h>
#include <poll.h>

#include <algorithm>
#include <chrono>

#include "probe/doctor.h"

namespace evictd::test {

bool Recorder::wait_until(const std::function<bool()>& done) {
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds{60};
  drain();
  while (!done()) {
    if (std::chrono::steady_clock::now() > deadline) {
      return false;
    }
    pollfd ready{.fd = probe_.event_fd(), .events = POLLIN, .revents = 0};
    ::poll(&ready, 1, 100);
    drain();
  }
  return true;
}

std::size_t Recorder::count(std::uint64_t id, probe::Direction direction) const {
  return static_cast<std::size_t>(
      std::count_if(thresholds.begin(), thresholds.end(), [&](const probe::ThresholdCrossed& e) {
        return e.threshold_id == id && e.direction == direction;
      }));
}

probe::ThresholdCrossed Recorder::first(std::uint64_t id, probe::Direction direction) const {
  const auto found =
      std::find_if(thresholds.begin(), thresholds.end(), [&](const probe::ThresholdCrossed& e) {
        return e.threshold_id == id && e.direction == direction;
      });
  if (found == thresholds.end()) {
    ADD_FAILURE() << "no crossing of threshold " << id << " that way";
    return {};
  }
  return *found;
}

bool Recorder::wait_for(std::uint64_t id, probe::Direction direction) {
  const std::size_t before = count(id, direction);
  return wait_until([&] { return count(id, direction) > before; });
}

std::unique_ptr<probe::Probe> load_probe(const probe::Options& options) {
  Result<std::unique_ptr<probe::Probe>> loaded = probe::Probe::load(options);
  if (!loaded) {
    ADD_FAILURE() << loaded.error().message() << '\n'
                  << probe::doctor_text(probe::Probe::examine(options));
    return nullptr;
  }
  return std::move(*loaded);
}

}  // namespace evictd::test
