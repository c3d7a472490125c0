// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "evictd/bytes.h"
#include "evictd/result.h"

namespace evictd::cri::test {

/// Ends a systemd slice: SIGKILLs everything in it and below, and stops the units.
void stop_slice(const std::string& unit);

/// The slices of a kubelet that uses the systemd driver below a cgroup root "/NAME": "N.slice" with
/// "N-kubepods.slice" inside. N is NAME with '_' for each '-', because systemd nests slices by '-'.
/// The destructor ends "N.slice". Cgroup v2.
class PodSlices {
 public:
  /// Creates them. Errors: kIo if systemd fails.
  static Result<std::unique_ptr<PodSlices>> start(const std::string& name);

  PodSlices(const PodSlices&) = delete;
  PodSlices& operator=(const PodSlices&) = delete;
  ~PodSlices();

  /// "N.slice", a unit.
  [[nodiscard]] std::string top() const;
  /// Paths below the hierarchy: of "N-kubepods.slice", and of a pod's slice in its QoS level. The
  /// runtime lets systemd create the latter.
  [[nodiscard]] std::filesystem::path pod_root() const;
  [[nodiscard]] std::filesystem::path pod(std::string_view level, std::string_view uid) const;

  /// Limits the memory of pod_root() and returns once the cgroup has the limit. Sets the unit's
  /// property, because systemd overwrites direct writes. Whole pages. Errors: kIo, kTimedOut.
  [[nodiscard]] Result<> limit_memory(Bytes limit) const;

 private:
  explicit PodSlices(std::string name) : name_(std::move(name)) {}

  /// N.
  std::string name_;
};

}  // namespace evictd::cri::test
