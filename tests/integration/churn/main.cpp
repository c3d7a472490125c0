// SPDX-License-Identifier: Apache-2.0
#include <CLI/CLI.hpp>
#include <chrono>
#include <cinttypes>
#include <cstdio>
#include <exception>
#include <map>
#include <random>
#include <string>

#include "churn.h"
#include "harness/interrupt.h"

namespace {

using evictd::Result;
using evictd::churn::ChurnOptions;
using evictd::churn::EventSource;

constexpr int kExitWrong = 1;
constexpr int kExitUsage = 2;
constexpr int kExitInterrupted = 130;
constexpr std::uint64_t kDefaultRounds = 3;

const char* const kFooter =
    R"(A round is 40 pods that begin, allocate or fork, and are evicted or end from outside. Some
move to the cgroups of a new pod or come back in cgroups made anew. Then evictd is looked at from
outside, while only two protected pods are there:

  events     emitted by the kernel side = delivered + dropped as evictd counts them
  table      a slot for each pod and for the pod root, and no more; usage, inactive file cache
             and tasks as in the cgroup files, within the bound of the cross-check
  leaks      no more descriptors and BPF map entries than after the first round; at most
             16 MiB more memory, and 4 MiB more once evictd's journal is full; no cgroup left
  records    one of every pod that was killed, each in the state "released"; none of a
             protected pod
  kills      a witness in the kernel sees who is sent SIGTERM or SIGKILL: a record of each
             such pod, and a kill for each record that tells of one

At the end a protected pod oscillates about a threshold, and what that cost evictd is told.

Pods of a round follow from the seed; when they meet depends on the machine.

Exit status: 0 nothing was wrong, 1 something was (told on standard error), 2 wrong usage,
130 interrupted. Needs root. Everything that it made is removed in each of these cases.)";

struct Arguments {
  ChurnOptions churn;
  std::uint64_t rounds = 0;
  std::uint64_t seconds = 0;
  std::uint64_t patience = 30;
  double most_cpu = 0;
};

void add_options(CLI::App& app, Arguments& arguments) {
  CLI::Option* const rounds =
      app.add_option("--rounds", arguments.rounds, "So many rounds (default: 3)");
  CLI::Option* const seconds = app.add_option(
      "--seconds", arguments.seconds, "Begin no round after so many seconds, but the first two");
  rounds->type_name("N")->check(CLI::Range(1, 1000000))->excludes(seconds);
  seconds->type_name("N")->check(CLI::Range(1, 1000000));
  app.add_option("--seed", arguments.churn.seed, "Of an earlier run (default: a random one)")
      ->type_name("N");
  app.add_option("--patience", arguments.patience,
                 "Call wrong what has not come to rest after so many seconds (default: 30)")
      ->type_name("N")
      ->check(CLI::Range(1, 3600));
  app.add_option("--most-cpu", arguments.most_cpu,
                 "Call wrong what a pod that oscillates costs evictd beyond so many percent of a "
                 "core (default: only tell it)")
      ->type_name("PERCENT")
      ->check(CLI::PositiveNumber);
  app.add_option("--event-source", arguments.churn.floor.source, "bpf (default) or poll")
      ->type_name("SOURCE")
      ->transform(
          CLI::CheckedTransformer(std::map<std::string, EventSource>{{"bpf", EventSource::kBpf},
                                                                     {"poll", EventSource::kPoll}})
              .description(""));
}

int run(const ChurnOptions& options) {
  // First of all, so that a failure can be repeated.
  std::printf("evict-churn: seed %" PRIu64 "\n", options.seed);
  static_cast<void>(std::fflush(stdout));
  const evictd::bench::Interrupt interrupt;
  const Result<bool> right = evictd::churn::churn(options);
  if (evictd::bench::Interrupt::requested()) {
    std::fprintf(stderr, "evict-churn: interrupted\n");
    return kExitInterrupted;
  }
  if (!right) {
    std::fprintf(stderr, "evict-churn: %s\n", right.error().message().c_str());
  }
  if (!right || !*right) {
    std::fprintf(stderr, "evict-churn: seed %" PRIu64 "\n", options.seed);
    return kExitWrong;
  }
  std::printf("evict-churn: all right\n");
  return 0;
}

int run_program(int argc, char** argv) {
  CLI::App app("evict-churn lets pods come and go under evictd and judges it from outside.");
  app.footer(kFooter);
  Arguments arguments;
  arguments.churn.seed = std::random_device{}();
  arguments.churn.floor.evictd = EVICTD;
  arguments.churn.floor.evict_load = EVICT_LOAD;
  add_options(app, arguments);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : kExitUsage;
  }
  arguments.churn.patience = std::chrono::seconds{arguments.patience};
  if (arguments.most_cpu > 0) {
    arguments.churn.most_cpu = arguments.most_cpu;
  }
  if (arguments.seconds > 0) {
    arguments.churn.time = std::chrono::seconds{arguments.seconds};
  } else {
    arguments.churn.rounds = arguments.rounds > 0 ? arguments.rounds : kDefaultRounds;
  }
  return run(arguments.churn);
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return run_program(argc, argv);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "evict-churn: %s\n", error.what());
    return kExitWrong;
  }
}
