// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

namespace CLI {
class App;
}

namespace evictd::demo {

enum class Scenario {
  kMemory,  ///< A hard threshold of allocatableMemory.available and a memory hog.
  kSoft,    ///< A soft threshold with a grace period, then the pod's own grace.
  kTmpfs,   ///< The threshold of kMemory, a pod that fills a tmpfs, and its files that outlive it.
  kPids,    ///< A hard threshold of pid.available of the pod root and a fork bomb.
  kDisk,    ///< A hard threshold of nodefs.available and a pod that fills the disk.
  kInodes,  ///< A hard threshold of nodefs.inodesFree and a pod that creates files.
  kEmptyDir,  ///< A pod that exceeds the sizeLimit of its emptyDir.
};

/// Whether a scenario uses a filesystem of its own.
[[nodiscard]] constexpr bool is_on_disk(Scenario scenario) {
  return scenario == Scenario::kDisk || scenario == Scenario::kInodes ||
         scenario == Scenario::kEmptyDir;
}

/// The source of evictd's events.
enum class EventSource { kBpf, kPoll };

struct DemoOptions {
  Scenario scenario = Scenario::kMemory;
  EventSource event_source = EventSource::kBpf;
  /// Time between SIGTERM and SIGKILL; unset: 0, and 1 in the soft scenario.
  std::optional<std::int64_t> grace_seconds;
  /// evictd's poll interval, in its configuration's notation; empty: evictd's default of 10 s.
  std::string poll_interval;
  /// Prints exactly one JSON object to stdout, and the story to stderr.
  bool json = false;
  /// File where evictd records its passes, for evictctl replay; its decisions go to a file beside
  /// it. Empty: no recording.
  std::filesystem::path record;
  /// evictd-web serves its page about the demonstration, which waits for Enter at its start and
  /// end.
  bool web = false;
  /// Leaves the cgroups and the private directory in place for inspection.
  bool keep = false;
  /// Directory of evictd, evict-load and evictd-web; empty: that of this program.
  std::filesystem::path programs;
};

/// Exit statuses beyond success.
/// The wrong pod died, none died, the OOM killer ran, or evictd killed before the crossing.
inline constexpr int kExitWrongOutcome = 1;
inline constexpr int kExitNoDemo =
    3;  ///< Something that the demonstration needs is missing, or stdout cannot be written.
inline constexpr int kExitVoid =
    4;  ///< The run proves nothing: the hog was held back, or not seen to cross.
inline constexpr int kExitInterrupted = 130;  ///< Ctrl-C or the like; everything was removed.

/// Adds the options of `evictctl demo` to its subcommand; `options` must outlive the parse.
void add_demo_options(CLI::App& command, DemoOptions& options);

/// Runs one demonstration and returns the exit status. Needs root. Removes everything that it
/// created before it returns, unless `keep` is set.
[[nodiscard]] int run_demo(const DemoOptions& options);

/// "memory", "soft", "tmpfs", "pids", "disk", "inodes", "emptydir"; "bpf", "poll".
[[nodiscard]] const char* name_of(Scenario scenario);
[[nodiscard]] const char* name_of(EventSource source);

}  // namespace evictd::demo
