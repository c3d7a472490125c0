// SPDX-License-Identifier: Apache-2.0
#include "arena.h"

#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <utility>

#include "must.h"
#include "stage/text_file.h"

namespace evictd::daemon::test {

namespace {

using Clock = std::chrono::steady_clock;

/// Between two questions to the daemon.
constexpr int kLookMs = 10;

/// Waits a moment, or less if the process is dead. Answers whether it lives.
bool look_again(int pidfd) {
  pollfd dead{pidfd, POLLIN, 0};
  return ::poll(&dead, 1, kLookMs) == 0;
}

}  // namespace

std::string name_of(const testing::TestParamInfo<Source>& source) {
  return source.param == Source::kEvents ? "Events" : "Polling";
}

std::ostream& operator<<(std::ostream& out, Source source) {
  return out << (source == Source::kEvents ? "events" : "polling");
}

bool Actor::alive() const {
  pollfd dead{load.child().pidfd(), POLLIN, 0};
  return ::poll(&dead, 1, 0) == 0;
}

std::optional<stage::ChildExit> Actor::await_end() {
  Result<stage::ChildExit> end = load.child().wait(kPatience);
  return end ? std::optional(*end) : std::nullopt;
}

ProgramEnd run_to_end(const std::filesystem::path& directory, std::vector<std::string> argv) {
  const std::filesystem::path output = directory / "program.out";
  std::filesystem::remove(output);
  stage::Child child = must(stage::Child::start({.argv = std::move(argv), .output = output}));
  const stage::ChildExit end = must(child.wait(kPatience));
  return {.exit_status = WIFEXITED(end.status) ? WEXITSTATUS(end.status) : -1,
          .output = must(stage::read_text(output))};
}

bool asked_for_by_kernel(const Json& record) {
  return record["trigger"] == "crossing" || record["trigger"] == "approach";
}

std::size_t lines_with(std::string_view text, std::string_view part) {
  std::size_t count = 0;
  while (!text.empty()) {
    const std::string_view line = text.substr(0, text.find('\n'));
    count += line.find(part) == std::string_view::npos ? 0 : 1;
    text.remove_prefix(std::min(text.size(), line.size() + 1));
  }
  return count;
}

void Arena::SetUp() {
  if (::geteuid() != 0) {
    GTEST_SKIP() << "needs root to make cgroups and to load BPF programs";
  }
  scratch_ = must(stage::ScratchDirectory::create("evictd-test-"));
  std::filesystem::create_directory(scratch_->path() / "pods");
  tree_ = must(stage::PrivateTree::create("evictd-test-" + std::to_string(::getpid()) + "-arena"));
}

stage::StagedPod Arena::make_pod(const stage::PodSpec& spec, const std::string& uid) {
  return must(uid.empty() ? tree_->add_pod(spec) : tree_->add_pod(spec, uid));
}

Actor& Arena::start_hog(const stage::StagedPod& pod, std::int64_t cap, Manners manners) {
  stage::LoadOptions load;
  load.binary = EVICT_LOAD;
  load.directory = scratch_->path();
  load.cap = cap;
  load.ignore_sigterm = manners == Manners::kStubborn;
  actors_.push_back({pod, must(stage::LoadProcess::start(*tree_, pod, load))});
  return actors_.back();
}

Actor& Arena::add_hog(const stage::PodSpec& spec, std::int64_t cap, Manners manners) {
  const stage::StagedPod pod = make_pod(spec);
  write_manifest(pod);
  return start_hog(pod, cap, manners);
}

Actor& Arena::add(const stage::PodSpec& spec, std::int64_t holds) {
  Actor& actor = add_hog(spec, holds);
  actor.load.go();
  must(actor.load.await_holding(kPatience));
  return actor;
}

void Arena::write_manifest(const stage::StagedPod& pod) {
  write_manifest(pod.spec.name, stage::manifest(pod.spec, pod.uid));
}

void Arena::write_manifest(const std::string& name, const std::string& text) {
  must(stage::replace_file(scratch_->path() / "pods" / (name + ".json"), text));
}

void Arena::remove_manifest(const std::string& name) {
  std::filesystem::remove(scratch_->path() / "pods" / (name + ".json"));
}

void Arena::limit_pods(Bytes limit) {
  must(tree_->limit_memory(limit));
}

void Arena::limit_memory() {
  const Bytes used = must(tree_->usage()) - must(tree_->inactive_file());
  limit_pods(used + Bytes{kRunUp + kHeadroom});
}

Json Arena::base_config(Source source) const {
  // A threshold of its own, never met: without one the default thresholds hold, and a machine whose
  // disk is 85 % full is under pressure by them.
  return {{"evictionHard", {{"memory.available", "1"}}},
          {"cgroupRoot", tree_->cgroup_root()},
          {"manifestDirectories", {(scratch_->path() / "pods").string()}},
          {"runtimeDirectory", scratch_->path().string()},
          {"eventSource", source == Source::kEvents ? "bpf" : "poll"},
          // Which side kills, and what a record tells of it, is not to depend on the machine.
          {"inKernelBrake", "off"},
          {"pollInterval", source == Source::kEvents ? "1h" : "50ms"}};
}

Json Arena::memory_config(Source source) const {
  Json config = base_config(source);
  config["evictionHard"] = {{"allocatableMemory.available", std::to_string(kHeadroom)}};
  config["hardEvictionGracePeriodSeconds"] = 0;
  return config;
}

std::filesystem::path Arena::config_file() const {
  return scratch_->path() / "evictd.yaml";
}

void Arena::write_config(const Json& config) {
  must(stage::replace_file(config_file(), config.dump(2) + "\n"));
}

void Arena::start_daemon(const Json& config, std::vector<std::string> launcher,
                         std::vector<std::string> environment) {
  write_config(config);
  daemon_ = must(stage::DaemonProcess::start({.binary = EVICTD,
                                              .config = config_file(),
                                              .directory = scratch_->path(),
                                              .launcher = std::move(launcher),
                                              .environment = std::move(environment),
                                              .arguments = arguments_}));
}

bool Arena::fails_to_start(std::vector<std::string> environment) {
  daemon_.reset();
  return !stage::DaemonProcess::start({.binary = EVICTD,
                                       .config = config_file(),
                                       .directory = scratch_->path(),
                                       .environment = std::move(environment)});
}

void Arena::reload(const std::string& text) {
  must(stage::replace_file(config_file(), text));
  must(daemon_->reload());
}

ProgramEnd Arena::refused_daemon(const std::string& config, std::vector<std::string> launcher) {
  const std::filesystem::path file = scratch_->path() / "refused.yaml";
  must(stage::replace_file(file, config));
  launcher.insert(launcher.end(), {EVICTD, "--config", file});
  return run_to_end(scratch_->path(), std::move(launcher));
}

std::string Arena::log() const {
  return must(stage::read_text(daemon_->log()));
}

Json Arena::ask(std::string_view op) {
  const auto deadline = Clock::now() + kPatience;
  for (;;) {
    const Result<std::string> answer = daemon_->ask(Json{{"op", op}}.dump());
    if (answer) {
      return Json::parse(*answer);
    }
    if (!look_again(daemon_->pidfd()) || Clock::now() > deadline) {
      throw std::runtime_error(answer.error().message() + "; log: " + log());
    }
  }
}

Json Arena::await_status(const std::function<bool(const Json&)>& condition) {
  const auto deadline = Clock::now() + kPatience;
  for (;;) {
    Json seen = status();
    if (condition(seen)) {
      return seen;
    }
    if (!look_again(daemon_->pidfd()) || Clock::now() > deadline) {
      throw std::runtime_error("never so in status: " + seen.dump(1) + "; log: " + log());
    }
  }
}

Json Arena::await_record(const Actor& victim, std::string_view state) {
  const auto deadline = Clock::now() + kPatience;
  for (;;) {
    const Json records = ask("last_evictions");
    for (const Json& record : records) {
      if (record["uid"] == victim.pod.uid && (state.empty() || record["state"] == state)) {
        return record;
      }
    }
    if (!look_again(daemon_->pidfd()) || Clock::now() > deadline) {
      throw std::runtime_error("no such record: " + records.dump(1) + "; log: " + log());
    }
  }
}

bool Arena::has_condition(const Json& status, std::string_view type) {
  return std::any_of(
      status["conditions"].begin(), status["conditions"].end(),
      [&](const Json& condition) { return condition["type"] == type && condition["status"]; });
}

Json Arena::pod_in(const Json& status, const std::string& uid) {
  for (const Json& pod : status["pods"]) {
    if (pod["uid"] == uid) {
      return pod;
    }
  }
  return nullptr;
}

}  // namespace evictd::daemon::test
