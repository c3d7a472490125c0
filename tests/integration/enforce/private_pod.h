// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "enforce/cgroup_actuator.h"
#include "enforce/kill_target.h"
#include "enforce/pod_root.h"
#include "evictd/time.h"

namespace evictd::enforce::test {

/// What a process of a test does once it is in its cgroups.
enum class Behaviour {
  kSleep,       ///< Dies on SIGTERM.
  kIgnoreTerm,  ///< Only SIGKILL ends it.
  kForkFast,    ///< Forks as fast as it can, as do its children.
  /// Takes more and more memory. On SIGTERM it takes kLastGrowthMiB more, as soon as memory.high of
  /// its pod is no longer "max", and exits with 0.
  kGrowUntilTerm,
};

/// What kGrowUntilTerm takes at its end: more than the room that a bridge leaves.
inline constexpr int kLastGrowthMiB = 4;

/// Mount points of the hierarchies that the tests use, empty where there is none.
struct Mounts {
  std::string memory;
  std::string pids;
  std::string freezer;
  std::string unified;

  static Mounts find();
};

/// A pod root of our own with one pod in it, in the hierarchies asked for; everything in it is
/// killed and removed at the end. Without the hierarchies, missing() says which.
class PrivatePod {
 public:
  enum class Kind { kV1, kV1MemoryOnly, kV2 };

  explicit PrivatePod(Kind kind);
  PrivatePod(const PrivatePod&) = delete;
  PrivatePod& operator=(const PrivatePod&) = delete;
  ~PrivatePod();

  [[nodiscard]] const std::string& missing() const { return missing_; }
  /// Directories of the pod: memory then pids on v1, one on v2.
  [[nodiscard]] const std::vector<std::string>& directories() const { return pod_; }
  [[nodiscard]] const std::vector<PodRoot>& roots() const { return roots_; }

  /// Makes a cgroup below the pod in every hierarchy.
  void add_container(const std::string& name) const;
  /// Starts a process in `container` ("" for the pod's own cgroup), there before this returns.
  pid_t start(Behaviour behaviour, const std::string& container = "") const;

  [[nodiscard]] KillTarget::Options options(Protection protection = Protection::kNone) const;
  /// A target of the pod, opened anew; lives as long as the pod, and so longer than an actuator
  /// that is declared after it.
  [[nodiscard]] KillTarget& target(Protection protection = Protection::kNone);
  [[nodiscard]] KillTarget& open_target(const KillTarget::Options& options);
  [[nodiscard]] std::unique_ptr<CgroupActuator> actuator() const;

  /// Processes in the pod and below it, read anew, in any hierarchy.
  [[nodiscard]] std::vector<pid_t> processes() const;
  [[nodiscard]] std::string pids_max() const;

 private:
  std::string missing_;
  std::vector<std::string> root_;
  std::vector<std::string> pod_;
  std::vector<PodRoot> roots_;
  base::Fd usage_;
  std::vector<std::unique_ptr<KillTarget>> targets_;
};

/// Writes `text` to the file; the test fails if that does not work.
void write_file(const std::string& path, const std::string& text);

/// A point in a test's own time.
[[nodiscard]] constexpr MonoTime at(Duration since_start) {
  return MonoTime{since_start};
}

/// When a test begins, on the clock that it drives itself.
inline constexpr MonoTime kStart = at(std::chrono::seconds{1000});

/// Hands the actuator what the kernel says, at the test's time `now`, until a step to `state` is
/// there; nothing after 20 s without one.
[[nodiscard]] std::optional<Progress> await(Actuator& actuator, EvictionState state, MonoTime now);

/// All steps that are there, in order.
[[nodiscard]] std::vector<EvictionState> take_states(Actuator& actuator);

/// The signal that ended our child `pid`, 0 if it exited by itself; waits for its end.
int await_end(pid_t pid);
[[nodiscard]] bool alive(pid_t pid);

}  // namespace evictd::enforce::test
