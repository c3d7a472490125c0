// SPDX-License-Identifier: Apache-2.0
#include "scale/discovery.h"

#include <unistd.h>

#include <array>
#include <chrono>
#include <ctime>
#include <filesystem>
#include <functional>
#include <set>
#include <string>

#include "base/system_clock.h"
#include "evictd/try.h"
#include "harness/interrupt.h"
#include "stage/text_file.h"

namespace evictd::bench {
namespace {

namespace fs = std::filesystem;

/// More than evictd opens for a pod, together with what it opens meanwhile for anything else.
constexpr std::size_t kNumbers = 128;
constexpr std::chrono::seconds kDeadline{10};
/// Between two looks, so that the bench leaves the CPU to evictd.
constexpr long kLookNs = 100'000;

fs::path descriptor_directory(pid_t pid) {
  return fs::path{"/proc"} / std::to_string(pid) / "fd";
}

/// Errors: kTimedOut; kBusy when interrupted.
Result<> await(const std::function<bool()>& condition, const std::string& what) {
  const base::SystemClock clock;
  const MonoTime deadline = clock.now() + kDeadline;
  while (!condition()) {
    EVICTD_TRY(Interrupt::check());
    if (clock.now() > deadline) {
      return fail(Errc::kTimedOut, what);
    }
    const timespec pause{0, kLookNs};
    ::nanosleep(&pause, nullptr);
  }
  return {};
}

}  // namespace

NewDescriptors::NewDescriptors(pid_t pid) : pid_(pid) {
  std::set<std::int64_t> open;
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator(descriptor_directory(pid), ignored)) {
    open.insert(stage::parse_number(entry.path().filename().string()).value_or(-1));
  }
  for (int number = 0; numbers_.size() < kNumbers; ++number) {
    if (!open.contains(number)) {
      numbers_.push_back(number);
    }
  }
}

bool NewDescriptors::lead_to(std::string_view part) const {
  const fs::path descriptors = descriptor_directory(pid_);
  std::array<char, 4096> target{};
  for (const int number : numbers_) {
    const fs::path link = descriptors / std::to_string(number);
    const ssize_t length = ::readlink(link.c_str(), target.data(), target.size());
    if (length > 0 && std::string_view{target.data(), static_cast<std::size_t>(length)}.find(
                          part) != std::string_view::npos) {
      return true;
    }
  }
  return false;
}

Result<Duration> discover_pod(stage::PrivateTree& tree, pid_t daemon) {
  const NewDescriptors descriptors{daemon};
  const base::SystemClock clock;
  const MonoTime before = clock.now();
  EVICTD_ASSIGN_OR_RETURN(const stage::StagedPod pod, tree.add_pod({.name = "added"}));
  EVICTD_TRY(
      await([&] { return descriptors.lead_to(pod.uid); }, "evictd opened no file of an added pod"));
  const Duration taken = clock.now() - before;
  EVICTD_TRY(tree.remove_pod(pod));
  // Or the next pod would get the same numbers, which would not be new.
  EVICTD_TRY(await([&] { return !descriptors.lead_to(pod.uid); },
                   "evictd kept a file of a removed pod open"));
  return taken;
}

}  // namespace evictd::bench
