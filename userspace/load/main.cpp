// SPDX-License-Identifier: Apache-2.0
#include <CLI/CLI.hpp>
#include <cstdio>
#include <exception>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "base/one_line.h"
#include "command_line/option_problem.h"
#include "core/leading_zero.h"
#include "load/fill_work.h"
#include "load/fork_work.h"
#include "load/memory_work.h"
#include "load/run.h"

namespace {

using evictd::Result;
using evictd::load::FillWith;
using evictd::load::FillWork;
using evictd::load::ForkWork;
using evictd::load::LoadKind;
using evictd::load::MemoryKind;
using evictd::load::MemoryWork;
using evictd::load::PageContent;
using evictd::load::PageSize;
using evictd::load::RunOptions;
using evictd::load::StartOn;

constexpr int kExitFailed = 1;
constexpr int kExitUsage = 2;

/// Bytes that the kernel charges at once for 4 KiB pages.
constexpr std::uint64_t kBatchBytes = std::uint64_t{256} << 10;
constexpr std::uint64_t kFillBatchBytes = std::uint64_t{1} << 20;

struct Options {
  RunOptions run;
  MemoryWork::Options memory;
  FillWork::Options fill;
  std::uint64_t parked = 0;
};

const char* const kFooter =
    R"(The process first creates the stamp log, then enters the cgroups, then waits
for the start, and only then starts its work. At its cap it holds what it has
until a signal kills it.

Sizes are bytes, or have a unit: 64Mi, 2GiB (powers of 1024), 64MB (of 1000).

Every batch is stamped with CLOCK_MONOTONIC in the file of --stamps, whose layout is in
<evictd/load_stamps.h>; it can be read while the load runs and after it was killed.
Put it on a tmpfs: a disk may make a stamp wait.

Examples:
  evict-load memory --cgroup /sys/fs/cgroup/memory/x --cap 1Gi --stamps /run/hog.stamps
  evict-load memory --page-size thp --rate 500Mi --ignore-term --start signal
  evict-load forks --cap 500 --rate 2000

Exit status: 1 when the work failed, 2 for wrong usage. A load that works ends by a signal.)";

/// Parses one of the names in `choices`; the option's help explains them.
template <typename T>
CLI::Validator one_of(const std::map<std::string, T>& choices) {
  return CLI::CheckedTransformer(choices).description("");
}

/// For a quantity with or without a unit. Validators run in reverse order: add it after size(),
/// which reads "010" as octal.
CLI::Validator decimal() {
  return {[](std::string& text) { return evictd::core::leading_zero_problem(text); }, ""};
}

CLI::Validator size() {
  return CLI::AsSizeValue(true).description("");
}

void add_common(CLI::App& command, Options& options) {
  RunOptions& run = options.run;
  command
      .add_option("--cgroup", run.cgroups,
                  "Directory of a cgroup to move into first; may be repeated, once per hierarchy")
      ->allow_extra_args(false)
      ->type_name("DIR")
      ->check(CLI::ExistingDirectory);
  command
      .add_option("--start", run.start_on,
                  "When to begin: now (default), signal (on SIGUSR1) or stdin (on a line, or the "
                  "end, of standard input)")
      ->type_name("WHEN")
      ->transform(one_of<StartOn>(
          {{"now", StartOn::kNow}, {"signal", StartOn::kSignal}, {"stdin", StartOn::kStdin}}));
  command
      .add_option("--start-at", run.start_at_ns,
                  "Not before this moment of CLOCK_MONOTONIC, in nanoseconds")
      ->type_name("NS")
      ->check(evictd::core::leading_zero_problem);
  command.add_flag("--ignore-term", run.ignore_term, "Ignore SIGTERM, as a stuck program does");
  command.add_option("--stamps", run.stamps.path, "Stamp every batch in this file")
      ->type_name("FILE");
  command
      .add_option("--stamp-entries", run.stamps.capacity,
                  "Newest batches that the stamp log keeps (default 262144: 8 MiB)")
      ->type_name("N")
      ->check(evictd::core::leading_zero_problem)
      ->check(CLI::Range(std::uint64_t{16}, std::uint64_t{1} << 28));
  command
      .add_option("--usage-file", run.stamps.usage_file,
                  "Also stamp the number in this file after each batch, such as memory.current")
      ->type_name("FILE");
}

void add_amounts(CLI::App& command, RunOptions& run, bool bytes) {
  const char* const unit = bytes ? "SIZE" : "N";
  const std::string what = bytes ? "bytes" : "units";
  CLI::Option* const rate =
      command.add_option("--rate", run.rate, "At most this many " + what + " a second");
  CLI::Option* const cap = command.add_option("--cap", run.cap, "Stop there, and hold");
  CLI::Option* const batch = command.add_option("--batch", run.stamps.batch, "Between two stamps");
  for (CLI::Option* const option : {rate, cap, batch}) {
    option->type_name(unit);
    if (bytes) {
      option->transform(size());
    }
    option->transform(decimal());
  }
  batch->check(CLI::PositiveNumber);
}

Result<> run_memory(Options& options) {
  RunOptions& run = options.run;
  const bool huge = options.memory.page_size == PageSize::kHuge;
  run.stamps.kind = LoadKind::kMemory;
  run.stamps.page_bytes = huge ? evictd::load::kHugePageBytes : evictd::load::kSmallPageBytes;
  if (run.stamps.batch == 0) {
    run.stamps.batch = huge ? evictd::load::kHugePageBytes : kBatchBytes;
  }
  MemoryWork work(options.memory);
  return evictd::load::run(run, work, options.parked);
}

Result<> run_forks(Options& options) {
  options.run.stamps.kind = LoadKind::kForks;
  if (options.run.stamps.batch == 0) {
    options.run.stamps.batch = 1;
  }
  ForkWork work;
  return evictd::load::run(options.run, work);
}

Result<> run_fill(Options& options) {
  const bool bytes = options.fill.with == FillWith::kBytes;
  options.run.stamps.kind = bytes ? LoadKind::kFileBytes : LoadKind::kInodes;
  if (options.run.stamps.batch == 0) {
    options.run.stamps.batch = bytes ? kFillBatchBytes : 1;
  }
  FillWork work(options.fill);
  return evictd::load::run(options.run, work);
}

/// `what` may contain texts and paths from outside.
void complain(const std::string& what) {
  std::fprintf(stderr, "evict-load: %s\n", evictd::base::one_line(what).c_str());
}

[[noreturn]] void spin() {
  for (volatile std::uint64_t turns = 0;;) {
    turns = turns + 1;
  }
}

void add_memory(CLI::App& app, Options& options, std::function<Result<>()>& chosen) {
  CLI::App& command = *app.add_subcommand("memory", "Allocate and touch memory");
  add_common(command, options);
  add_amounts(command, options.run, true);
  command.add_option("--parked", options.parked, "Touch this much before waiting for the start")
      ->type_name("SIZE")
      ->transform(size())
      ->transform(decimal());
  command.add_option("--page-size", options.memory.page_size, "4k (default) or thp, huge pages")
      ->type_name("SIZE")
      ->transform(one_of<PageSize>({{"4k", PageSize::k4KiB}, {"thp", PageSize::kHuge}}));
  command
      .add_option("--content", options.memory.content,
                  "Content of each page: one-byte (default), or mixed: data that compresses to two "
                  "fifths")
      ->type_name("CONTENT")
      ->transform(one_of<PageContent>(
          {{"one-byte", PageContent::kOneByte}, {"mixed", PageContent::kMixed}}));
  command
      .add_option("--kind", options.memory.kind,
                  "anon (default), shmem, or file: page cache of a file in --dir")
      ->type_name("KIND")
      ->transform(one_of<MemoryKind>({{"anon", MemoryKind::kAnonymous},
                                      {"shmem", MemoryKind::kShared},
                                      {"file", MemoryKind::kFile}}));
  command.add_option("--dir", options.memory.directory, "For --kind file (default: here)")
      ->check(CLI::ExistingDirectory);
  command.callback([&] { chosen = [&] { return run_memory(options); }; });
}

void add_others(CLI::App& app, Options& options, std::function<Result<>()>& chosen) {
  CLI::App& forks = *app.add_subcommand("forks", "Fork children that sleep, and outlive it");
  add_common(forks, options);
  add_amounts(forks, options.run, false);
  forks.get_option("--cap")->required();
  forks.callback([&] { chosen = [&] { return run_forks(options); }; });

  CLI::App& fill = *app.add_subcommand("fill", "Fill a filesystem; the files stay");
  add_common(fill, options);
  add_amounts(fill, options.run, true);
  fill.get_option("--cap")->required();
  fill.add_option("--dir", options.fill.directory, "Where the files are created")
      ->required()
      ->check(CLI::ExistingDirectory);
  fill.add_option("--with", options.fill.with, "bytes (default) or inodes: empty files")
      ->type_name("WHAT")
      ->transform(one_of<FillWith>({{"bytes", FillWith::kBytes}, {"inodes", FillWith::kInodes}}));
  fill.callback([&] { chosen = [&] { return run_fill(options); }; });

  CLI::App& busy = *app.add_subcommand("spin", "Keep one CPU busy");
  add_common(busy, options);
  busy.callback(
      [&] { chosen = [&] { return evictd::load::run_without_units(options.run, spin); }; });

  CLI::App& sleep = *app.add_subcommand("sleep", "Do nothing");
  add_common(sleep, options);
  sleep.callback(
      [&] { chosen = [&] { return evictd::load::run_without_units(options.run, nullptr); }; });
}

int run_program(int argc, char** argv) {
  CLI::App app("evict-load makes one kind of load and stamps what it does.", "evict-load");
  app.footer(kFooter);
  app.require_subcommand(1);
  app.failure_message([](const CLI::App* failed, const CLI::Error& error) {
    return CLI::FailureMessage::simple(
        failed, CLI::Error(error.get_name(), evictd::base::one_line(error.what())));
  });
  Options options;
  std::function<Result<>()> chosen;
  add_memory(app, options, chosen);
  add_others(app, options, chosen);
  const std::vector<std::string> arguments(argv + 1, argv + argc);
  if (const std::string problem = evictd::command_line::option_problem(app, arguments);
      !problem.empty()) {
    complain(problem);
    return kExitUsage;
  }
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : kExitUsage;
  }
  const Result<> ended = chosen();
  complain(ended ? "ended" : ended.error().message());
  return kExitFailed;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return run_program(argc, argv);
  } catch (const std::exception& error) {
    complain(error.what());
    return kExitFailed;
  }
}
