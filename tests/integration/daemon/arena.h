// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>
#include <functional>
#include <list>
#include <nlohmann/json.hpp>
#include <optional>
#include <ostream>
#include <string>
#include <string_view>
#include <vector>

#include "stage/daemon_process.h"
#include "stage/load_process.h"
#include "stage/private_tree.h"
#include "stage/scratch_directory.h"

namespace evictd::daemon::test {

using Json = nlohmann::ordered_json;

/// For what takes a fraction of a second on an idle machine; only a failure waits this long.
inline constexpr std::chrono::seconds kPatience{60};

inline constexpr std::int64_t kMiB = std::int64_t{1} << 20;
/// What a hog may take before the threshold is met, and what is left then.
inline constexpr std::int64_t kRunUp = 48 * kMiB;
inline constexpr std::int64_t kHeadroom = 64 * kMiB;
/// Past the threshold, and well below the limit.
inline constexpr std::int64_t kPastThreshold = kRunUp + kHeadroom / 2;
/// A hard threshold beyond the soft one at kHeadroom, for tests of both.
inline constexpr std::int64_t kHardHeadroom = kHeadroom / 2;
/// Half-way between the two.
inline constexpr std::int64_t kPastSoft = kRunUp + (kHeadroom - kHardHeadroom) / 2;
/// Far from any threshold.
inline constexpr std::int64_t kModest = 8 * kMiB;

/// How the daemon notices.
enum class Source {
  kEvents,  ///< Kernel events, and a polling interval that no test lives to see.
  kPolling,
};
[[nodiscard]] std::string name_of(const testing::TestParamInfo<Source>& source);
/// As failures show it.
std::ostream& operator<<(std::ostream& out, Source source);

/// What a hog does on SIGTERM.
enum class Manners { kPolite, kStubborn };

/// A pod and the process in it.
struct Actor {
  stage::StagedPod pod;
  stage::LoadProcess load;

  [[nodiscard]] bool alive() const;
  /// Waits for its end; empty if it still lives after kPatience.
  [[nodiscard]] std::optional<stage::ChildExit> await_end();
};

/// How a program ended, and what it said on stdout and stderr.
struct ProgramEnd {
  int exit_status = -1;
  std::string output;
};

/// Runs `argv` to its end. A test failure if it does not end within kPatience.
[[nodiscard]] ProgramEnd run_to_end(const std::filesystem::path& directory,
                                    std::vector<std::string> argv);
/// How many lines of `text` have `part` in them.
[[nodiscard]] std::size_t lines_with(std::string_view text, std::string_view part);
/// Whether the kernel side asked for the pass of this record: for the crossing or, on a machine so
/// slow that it had come about before the pass began, with the hint just before it.
[[nodiscard]] bool asked_for_by_kernel(const Json& record);

/// A private cgroup tree with pods, and the real daemon on it. All of it is gone after the test.
class Arena : public testing::Test {
 protected:
  void SetUp() override;

  /// A pod whose process holds `holds` already, or waits for go() with a hog.
  Actor& add(const stage::PodSpec& spec, std::int64_t holds);
  Actor& add_hog(const stage::PodSpec& spec, std::int64_t cap = kPastThreshold,
                 Manners manners = Manners::kPolite);
  /// The same for a pod that was made already and may have no manifest.
  Actor& start_hog(const stage::StagedPod& pod, std::int64_t cap,
                   Manners manners = Manners::kPolite);
  [[nodiscard]] stage::StagedPod make_pod(const stage::PodSpec& spec, const std::string& uid = "");
  void write_manifest(const stage::StagedPod& pod);
  void write_manifest(const std::string& name, const std::string& text);
  void remove_manifest(const std::string& name);

  /// Of the memory of all pods together.
  virtual void limit_pods(Bytes limit);
  /// Limits the pod root so that kRunUp from now the threshold of memory_config() is met.
  void limit_memory();
  /// One hard threshold for the pod root's memory, no grace.
  [[nodiscard]] Json memory_config(Source source) const;
  /// Everything but thresholds.
  [[nodiscard]] virtual Json base_config(Source source) const;
  [[nodiscard]] std::filesystem::path config_file() const;
  void write_config(const Json& config);
  /// Returns once it is ready.
  void start_daemon(const Json& config, std::vector<std::string> launcher = {},
                    std::vector<std::string> environment = {});
  /// Whether a daemon with this environment ends before it is ready.
  [[nodiscard]] bool fails_to_start(std::vector<std::string> environment);
  /// SIGHUP with another file.
  void reload(const std::string& text);
  /// Runs evictd on a configuration that it will not work with.
  [[nodiscard]] ProgramEnd refused_daemon(const std::string& config,
                                          std::vector<std::string> launcher = {});
  [[nodiscard]] std::string log() const;
  [[nodiscard]] Json ask(std::string_view op);
  [[nodiscard]] Json status() { return ask("status"); }
  /// The first status for which `condition` holds; a test failure if there is none in time.
  Json await_status(const std::function<bool(const Json&)>& condition);
  /// The eviction record of the pod once it is in `state` ("" for any).
  Json await_record(const Actor& victim, std::string_view state = "released");
  [[nodiscard]] static bool has_condition(const Json& status, std::string_view type);
  /// Null if the pod is not listed.
  [[nodiscard]] static Json pod_in(const Json& status, const std::string& uid);

  // In this order: what runs ends before what it runs in.
  std::optional<stage::ScratchDirectory> scratch_;
  /// Given to each daemon behind its configuration.
  std::vector<std::string> arguments_;
  std::optional<stage::PrivateTree> tree_;
  std::list<Actor> actors_;
  std::optional<stage::DaemonProcess> daemon_;
};
class ArenaBySource : public Arena, public testing::WithParamInterface<Source> {};

}  // namespace evictd::daemon::test
