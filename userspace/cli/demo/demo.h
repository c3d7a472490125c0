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
  kInodes,  ///< A hard threshold of nodefs.inodesFree and a pod that makes files.
  kEmptyDir,  ///< A pod that exceeds the sizeLimit of its emptyDir.
};

/// Whether a scenario plays on a filesystem of its own.
[[nodiscard]] constexpr bool is_on_disk(Scenario scenario) {
  return scenario == Scenario::kDisk || scenario == Scenario::kInodes ||
         scenario == Scenario::kEmptyDir;
}

/// Where evictd's events come from.
enum class EventSource { kBpf, kPoll };

struct DemoOptions {
  Scenario scenario = Scenario::kMemory;
  EventSource event_source = EventSource::kBpf;
  /// Time between SIGTERM and SIGKILL; unset: 0, and 1 in the soft scenario.
  std::optional<std::int64_t> grace_seconds;
  /// Of evictd, in text as its configuration wants it; empty: evictd's own default of 10 s.
  std::string poll_interval;
  /// stdout gets one JSON object and nothing else; the story goes to stderr.
  bool json = false;
  /// Where evictd records its passes, for evictctl replay, and beside it its decisions; empty for
  /// nowhere.
  std::filesystem::path record;
  /// evictd-web serves its page on the demonstration, which waits for Enter at its begin and end.
  bool web = false;
  /// Leave the cgroups and the private directory for someone to look at.
  bool keep = false;
  /// Where evictd, evict-load and evictd-web are; empty: beside this program.
  std::filesystem::path programs;
};

/// Exit statuses beyond success.
/// Another pod died, none did, the OOM killer ran, or evictd killed before the crossing.
inline constexpr int kExitWrongOutcome = 1;
inline constexpr int kExitNoDemo =
    3;  ///< Something that the demonstration needs is missing, or stdout cannot be written.
inline constexpr int kExitVoid =
    4;  ///< The run proves nothing: the hog was held back, or not seen to cross.
inline constexpr int kExitInterrupted = 130;  ///< Ctrl-C or the like; everything was removed.

/// Adds the options of `evictctl demo` to its subcommand; `options` must outlive the parse.
void add_demo_options(CLI::App& command, DemoOptions& options);

/// Runs one demonstration from start to end and returns the exit status. Needs root.
/// All that it made is removed before it returns, unless `keep`.
[[nodiscard]] int run_demo(const DemoOptions& options);

/// "memory", "soft", "tmpfs", "pids", "disk", "inodes", "emptydir"; "bpf", "poll".
[[nodiscard]] const char* name_of(Scenario scenario);
[[nodiscard]] const char* name_of(EventSource source);

}  // namespace evictd::demo
