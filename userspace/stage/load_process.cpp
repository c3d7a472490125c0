// SPDX-License-Identifier: Apache-2.0
#include "stage/load_process.h"

#include <chrono>
#include <csignal>
#include <utility>

#include "evictd/try.h"
#include "stage/text_file.h"

namespace evictd::stage {
namespace {

/// Starting a program takes a few milliseconds; the margin is for a machine in trouble.
constexpr int kLoadDeadlineMs = 20'000;
constexpr std::chrono::milliseconds kLook{1};
/// 1 GiB in batches of 16 KiB, more than any load of a stage touches, in 2 MiB of log.
constexpr int kStampEntries = 65536;

const char* command_of(load::LoadKind kind) {
  switch (kind) {
    case load::LoadKind::kMemory:
      return "memory";
    case load::LoadKind::kForks:
      return "forks";
    case load::LoadKind::kFileBytes:
    case load::LoadKind::kInodes:
      return "fill";
  }
  return "";
}

std::vector<std::string> command_line(const LoadOptions& options,
                                      const std::vector<std::filesystem::path>& cgroups,
                                      const std::filesystem::path& stamps) {
  std::vector<std::string> line{options.binary, command_of(options.kind), "--start", "signal"};
  line.insert(line.end(), {"--stamps", stamps, "--stamp-entries", std::to_string(kStampEntries)});
  // It enters by itself after it has created its stamp log, which is then not charged to the pod.
  for (const std::filesystem::path& cgroup : cgroups) {
    line.insert(line.end(), {"--cgroup", cgroup});
  }
  if (options.cap > 0) {
    line.insert(line.end(), {"--cap", std::to_string(options.cap)});
  }
  if (options.rate > 0) {
    line.insert(line.end(), {"--rate", std::to_string(options.rate)});
  }
  if (options.batch > 0) {
    line.insert(line.end(), {"--batch", std::to_string(options.batch)});
  }
  if (options.pages == PageKind::kHuge) {
    line.insert(line.end(), {"--page-size", "thp"});
  }
  if (options.content == PageContent::kMixed) {
    line.insert(line.end(), {"--content", "mixed"});
  }
  if (options.ignore_sigterm) {
    line.emplace_back("--ignore-term");
  }
  if (!options.fill_directory.empty()) {
    line.insert(line.end(), {"--dir", options.fill_directory, "--with",
                             options.kind == load::LoadKind::kInodes ? "inodes" : "bytes"});
  }
  if (!options.usage_file.empty()) {
    line.insert(line.end(), {"--usage-file", options.usage_file});
  }
  return line;
}

}  // namespace

LoadProcess::LoadProcess(Child child, load::StampLog stamps)
    : child_(std::move(child)), stamps_(std::move(stamps)) {}

Result<LoadProcess> LoadProcess::start(const PrivateTree& tree, const StagedPod& pod,
                                       const LoadOptions& options) {
  const std::filesystem::path stamps = options.directory / (pod.uid + ".stamps");
  const std::filesystem::path output = options.directory / (pod.uid + ".log");
  // The log of an earlier load of the pod would be taken for the new one's, and be truncated while
  // it is mapped.
  std::error_code ignored;
  std::filesystem::remove(stamps, ignored);
  EVICTD_ASSIGN_OR_RETURN(
      Child child, Child::start({.argv = command_line(options, tree.directories_of(pod), stamps),
                                 .output = output}));
  const auto deadline =
      std::chrono::steady_clock::now() + std::chrono::milliseconds{kLoadDeadlineMs};
  for (;;) {
    Result<load::StampLog> log = load::StampLog::open(stamps);
    if (log && log->state() == load::LoadState::kWaiting) {
      return LoadProcess{std::move(child), std::move(*log)};
    }
    if (const Result<ChildExit> end = child.wait(kLook); end) {
      return fail(Errc::kIo, "evict-load ended with " + end->text() + ": " +
                                 read_text(output).value_or(std::string{}));
    }
    if (std::chrono::steady_clock::now() > deadline) {
      return fail(Errc::kTimedOut, "evict-load does not get ready");
    }
  }
}

Result<> LoadProcess::await_holding(Duration timeout) {
  const auto deadline = std::chrono::steady_clock::now() + timeout;
  while (stamps_.state() != load::LoadState::kHolding) {
    if (const Result<ChildExit> end = child_.wait(kLook); end) {
      return fail(Errc::kIo, "evict-load ended with " + end->text() + " before it held its load");
    }
    if (std::chrono::steady_clock::now() > deadline) {
      return fail(Errc::kTimedOut, "evict-load did not reach what it should hold");
    }
  }
  return {};
}

void LoadProcess::go() {
  child_.signal(SIGUSR1);
}

}  // namespace evictd::stage
