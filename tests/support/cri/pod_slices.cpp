// SPDX-License-Identifier: Apache-2.0
#include "support/cri/pod_slices.h"

#include <poll.h>

#include <algorithm>
#include <chrono>
#include <vector>

#include "evictd/try.h"
#include "stage/child.h"
#include "stage/text_file.h"

namespace evictd::cri::test {

namespace {

namespace fs = std::filesystem;

/// For operations that take a fraction of a second on an idle machine; only a failure waits this
/// long.
constexpr std::chrono::seconds kSystemdPatience{60};
/// Poll interval.
constexpr int kPropertyLookMs = 10;

std::string escaped(std::string_view name) {
  std::string text(name);
  std::replace(text.begin(), text.end(), '-', '_');
  return text;
}

/// systemctl's output goes to the test's own output.
Result<> systemctl(std::vector<std::string> arguments) {
  const std::string what = arguments.front() + " " + arguments.back();
  arguments.insert(arguments.begin(), "/usr/bin/systemctl");
  Result<stage::Child> child = stage::Child::start({.argv = std::move(arguments)});
  if (!child) {
    return Failure(child.error());
  }
  const Result<stage::ChildExit> end = child->wait(kSystemdPatience);
  if (!end) {
    return Failure(end.error());
  }
  return end->status == 0 ? Result<>{} : fail(Errc::kIo, "systemctl " + what + ": " + end->text());
}

}  // namespace

void stop_slice(const std::string& unit) {
  // First, because stopping would wait for processes that ignore SIGTERM.
  static_cast<void>(systemctl({"kill", "--signal=KILL", unit}));
  static_cast<void>(systemctl({"stop", unit}));
}

Result<std::unique_ptr<PodSlices>> PodSlices::start(const std::string& name) {
  std::unique_ptr<PodSlices> slices(new PodSlices(escaped(name)));
  if (Result<> started = systemctl({"start", slices->pod_root().filename().string()}); !started) {
    return Failure(started.error());
  }
  return slices;
}

PodSlices::~PodSlices() {
  stop_slice(top());
}

std::string PodSlices::top() const {
  return name_ + ".slice";
}

fs::path PodSlices::pod_root() const {
  return fs::path("/") / top() / (name_ + "-kubepods.slice");
}

fs::path PodSlices::pod(std::string_view level, std::string_view uid) const {
  const std::string parent = name_ + "-kubepods-" + std::string(level);
  return pod_root() / (parent + ".slice") / (parent + "-pod" + escaped(uid) + ".slice");
}

Result<> PodSlices::limit_memory(Bytes limit) const {
  const std::string bytes = std::to_string(limit.value);
  EVICTD_TRY(systemctl(
      {"set-property", "--runtime", pod_root().filename().string(), "MemoryMax=" + bytes}));
  // systemd answers before it has written the property.
  const fs::path file = fs::path("/sys/fs/cgroup") / pod_root().relative_path() / "memory.max";
  const auto deadline = std::chrono::steady_clock::now() + kSystemdPatience;
  for (;;) {
    const Result<std::string> has = stage::read_text(file);
    if (!has) {
      return Failure(has.error());
    }
    if (*has == bytes + "\n") {
      return {};
    }
    if (std::chrono::steady_clock::now() > deadline) {
      return fail(Errc::kTimedOut, file.string() + " has " + *has);
    }
    ::poll(nullptr, 0, kPropertyLookMs);
  }
}

}  // namespace evictd::cri::test
