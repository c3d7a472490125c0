// SPDX-License-Identifier: Apache-2.0
#include "demo/demo.h"
#include "core/leading_zero.h"

#include <sys/signalfd.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <array>
#include <charconv>
#include <csignal>
#include <cstdio>
#include <string>
#include <utility>
#include <vector>

#include "base/fd.h"
#include "config/poll_interval.h"
#include "core/control_character.h"
#include "core/utf8.h"
#include "demo/audience.h"
#include "demo/leftovers.h"
#include "demo/play.h"
#include "demo/story.h"

namespace evictd::demo {
namespace {

/// A void run is caused by the machine, not by evictd: tries twice more.
constexpr int kAttempts = 3;

/// Checks a path that becomes part of a configuration; empty if it is valid.
std::string path_problem(const std::string& path) {
  const bool plain = !path.empty() && !core::find_invalid_utf8(path) &&
                     path.find_first_of("\t\r\n") == std::string::npos &&
                     !core::find_control_character(path);
  return plain ? std::string() : "not a plain path; allowed: UTF-8 without control characters";
}

constexpr std::int64_t kLongestGraceSeconds = 60;

/// Checks --grace; empty if it is valid.
std::string grace_problem(const std::string& text) {
  std::int64_t seconds = 0;
  const char* const end = text.data() + text.size();
  const std::from_chars_result read = std::from_chars(text.data(), end, seconds);
  const bool whole = read.ec == std::errc{} && read.ptr == end;
  if (whole && seconds >= 0 && seconds <= kLongestGraceSeconds) {
    return {};
  }
  return "\"" + text + "\": not allowed; allowed: a whole number of seconds from 0 to " +
         std::to_string(kLongestGraceSeconds);
}

/// nohup(1) requires that SIGHUP stays ignored.
bool is_ignored(int signal) {
  struct sigaction action {};
  return ::sigaction(signal, nullptr, &action) == 0 && action.sa_handler == SIG_IGN;
}

/// Reads terminal signals from a descriptor while it exists, so that the stack unwinds normally.
class CaughtSignals {
 public:
  CaughtSignals() {
    sigset_t caught;
    sigemptyset(&caught);
    sigaddset(&caught, SIGINT);
    sigaddset(&caught, SIGTERM);
    sigaddset(&caught, SIGQUIT);
    if (!is_ignored(SIGHUP)) {
      sigaddset(&caught, SIGHUP);
    }
    ::pthread_sigmask(SIG_BLOCK, &caught, &before_);
    fd_.reset(::signalfd(-1, &caught, SFD_CLOEXEC | SFD_NONBLOCK));
  }
  CaughtSignals(const CaughtSignals&) = delete;
  CaughtSignals& operator=(const CaughtSignals&) = delete;
  ~CaughtSignals() {
    signalfd_siginfo taken{};
    while (::read(fd_.get(), &taken, sizeof(taken)) > 0) {
    }
    ::pthread_sigmask(SIG_SETMASK, &before_, nullptr);
  }
  [[nodiscard]] int fd() const { return fd_.get(); }

 private:
  sigset_t before_{};
  base::Fd fd_;
};

struct Attempt {
  int status = kExitNoDemo;
  bool again = false;
  /// Empty if there is nothing to report.
  std::string json{};
};

/// Whether another attempt may follow this one.
enum class Chance { kMore, kLast };

/// Sets up everything, starts the audience, and runs the play.
Result<Evidence> play_to(Audience& audience, Play& play) {
  Result<> ready = play.set_up();
  if (ready) {
    ready = audience.open_page(play.directory());
  }
  return ready ? play.perform() : tl::unexpected(ready.error());
}

Attempt attempt(const DemoOptions& options, const Narrator& say, Audience& audience,
                Chance chance) {
  Play play{options, say, audience.signals()};
  const Result<Evidence> evidence = play_to(audience, play);
  if (!options.web) {
    play.stop_daemon();
  }
  // Ctrl-C also ends evictd and the pods, so neither an apparent failure nor a success then counts.
  if (play.interrupted()) {
    say(options.keep ? "demo: interrupted; a run without a result keeps nothing, even with --keep"
                     : "demo: interrupted");
    return {kExitInterrupted};
  }
  Attempt result;
  if (evidence) {
    const Outcome outcome = judge(*evidence);
    say(tell(*evidence, script_of(options.scenario)));
    say((outcome == Outcome::kAsExpected ? "done: " : "FAILED: ") + explain(outcome, *evidence));
    result = {exit_status_of(outcome),
              exit_status_of(outcome) == kExitVoid && chance == Chance::kMore, to_json(*evidence)};
  } else {
    say("demo: " + evidence.error().message());
  }
  if (result.again) {
    say("a void run is repeated");
    return result;
  }
  if (options.web) {
    if (evidence) {
      audience.keep_page_open();
    }
    play.stop_daemon();
  }
  if (options.keep) {
    play.keep();
  }
  play.print_record_files();
  return result;
}

constexpr std::array kScenarios{Scenario::kMemory,  Scenario::kSoft, Scenario::kTmpfs,
                                Scenario::kPids,    Scenario::kDisk, Scenario::kInodes,
                                Scenario::kEmptyDir};
constexpr std::array kEventSources{EventSource::kBpf, EventSource::kPoll};

/// An option whose value is the name of one of `all`. Parsed by name here, because CLI11's
/// enumeration parser also accepts the numbers and prints them as bytes.
template <typename T, typename All>
void add_choice(CLI::App& command, const std::string& option, T& chosen, const All& all,
                const std::string& description) {
  std::vector<std::string> names;
  names.reserve(all.size());
  for (const T one : all) {
    names.emplace_back(name_of(one));
  }
  const auto choose = [&chosen, all](const std::string& name) {
    for (const T one : all) {
      if (name == name_of(one)) {
        chosen = one;
      }
    }
  };
  command.add_option_function<std::string>(option, choose, description)
      ->check(CLI::IsMember(std::move(names)));
}

}  // namespace

const char* name_of(Scenario scenario) {
  switch (scenario) {
    case Scenario::kMemory:
      return "memory";
    case Scenario::kSoft:
      return "soft";
    case Scenario::kTmpfs:
      return "tmpfs";
    case Scenario::kPids:
      return "pids";
    case Scenario::kDisk:
      return "disk";
    case Scenario::kInodes:
      return "inodes";
    case Scenario::kEmptyDir:
      return "emptydir";
  }
  return "";
}

const char* name_of(EventSource source) {
  switch (source) {
    case EventSource::kBpf:
      return "bpf";
    case EventSource::kPoll:
      return "poll";
  }
  return "";
}

void add_demo_options(CLI::App& command, DemoOptions& options) {
  add_choice(command, "--scenario", options.scenario, kScenarios,
             "what goes wrong: memory, soft, tmpfs, pids, disk, inodes or emptydir");
  add_choice(command, "--event-source", options.event_source, kEventSources,
             "how evictd notices: bpf or poll");
  command
      .add_option(
          "--grace", options.grace_seconds,
          "seconds from SIGTERM to SIGKILL, 0 to 60 (default 0, and 1 in the soft scenario)")
      ->check(core::leading_zero_problem)
      ->check(grace_problem);
  command
      .add_option("--poll-interval", options.poll_interval,
                  "evictd's pollInterval, 10ms to 1h (default its own, 10s)")
      ->check(config::poll_interval_problem);
  command.add_flag("--json", options.json, "one JSON object on stdout, the story on stderr");
  command.add_flag(
      "--keep", options.keep,
      "leave the cgroups and files in place afterwards, unless interrupted; a private filesystem "
      "is always removed");
  command
      .add_option("--record", options.record,
                  "have evictd record its passes to this file, for evictctl replay, and its "
                  "decisions to FILE.records.jsonl, for evictctl explain")
      ->check(path_problem);
  command.add_flag(
      "--web", options.web,
      "have evictd-web serve its page about the demonstration, and open it; Enter lets the pod "
      "misbehave, and later closes the page");
  command.add_option("--programs", options.programs,
                     "where evictd, evict-load and evictd-web are (default: beside this program)");
  command.footer(
      "Exit status: 0 the expected pod was evicted; 1 another pod died, none did, the kernel's "
      "OOM killer ran, or the pod was evicted before the crossing; 3 the demonstration cannot run "
      "here, or stdout cannot be written; 4 the hog was held back, so that the run proves nothing; "
      "130 interrupted.");
}

int run_demo(const DemoOptions& options) {
  std::FILE* stream = options.json ? stderr : stdout;
  const Narrator say = [stream](std::string_view line) {
    std::fprintf(stream, "%.*s\n", static_cast<int>(line.size()), line.data());
    std::fflush(stream);
  };
  // The reader of stdout may exit before the tree is removed: then a write fails, but nothing else
  // does.
  std::signal(SIGPIPE, SIG_IGN);
  const CaughtSignals signals;
  if (::geteuid() == 0) {
    remove_leftovers(kNamePrefix, say);
  }
  Audience audience{options, say, signals.fd()};
  Attempt last;
  for (int i = 0; i < kAttempts; ++i) {
    last = attempt(options, say, audience, i + 1 < kAttempts ? Chance::kMore : Chance::kLast);
    if (!last.again || std::ferror(stdout) != 0) {
      break;
    }
  }
  if (options.json && !last.json.empty()) {
    std::printf("%s\n", last.json.c_str());
    std::fflush(stdout);
  }
  if (std::ferror(stdout) != 0 && last.status != kExitInterrupted) {
    std::fputs("demo: stdout cannot be written: the result is lost\n", stderr);
    return kExitNoDemo;
  }
  return last.status;
}

}  // namespace evictd::demo
