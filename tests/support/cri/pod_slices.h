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

/// Ends a slice of systemd: what runs in it and below gets SIGKILL, and the units are stopped.
void stop_slice(const std::string& unit);

/// The slices of a kubelet that uses the systemd driver below a cgroup root "/NAME": "N.slice" and
/// in it "N-kubepods.slice", where N is NAME with '_' for each '-', as a '-' is what systemd nests
/// by. Destroying it ends "N.slice". Cgroup v2.
class PodSlices {
 public:
  /// Makes them. Errors: kIo where systemd does not.
  static Result<std::unique_ptr<PodSlices>> start(const std::string& name);

  PodSlices(const PodSlices&) = delete;
  PodSlices& operator=(const PodSlices&) = delete;
  ~PodSlices();

  /// "N.slice", a unit.
  [[nodiscard]] std::string top() const;
  /// Paths below the hierarchy: of "N-kubepods.slice", and of a pod's slice in its QoS level, which
  /// the runtime has systemd make.
  [[nodiscard]] std::filesystem::path pod_root() const;
  [[nodiscard]] std::filesystem::path pod(std::string_view level, std::string_view uid) const;

  /// Returns once the cgroup of pod_root() has it. A property of the unit: systemd writes its own
  /// over what anyone else has written. Whole pages. Errors: kIo, kTimedOut.
  [[nodiscard]] Result<> limit_memory(Bytes limit) const;

 private:
  explicit PodSlices(std::string name) : name_(std::move(name)) {}

  /// N.
  std::string name_;
};

}  // namespace evictd::cri::test
