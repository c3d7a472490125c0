// SPDX-License-Identifier: Apache-2.0
#include "crossing/contender.h"

#include <ctime>
#include <nlohmann/json.hpp>
#include <utility>

#include "evictd/try.h"
#include "harness/machine.h"
#include "stage/text_file.h"
#include "tracer/hot_tracer.h"

namespace evictd::bench {
namespace {

/// For a second in total.
constexpr int kLooksForARecord = 200;
constexpr timespec kBetweenLooks{0, 5'000'000};

/// evictd's record of the pod's eviction; null if there is none so far.
nlohmann::json record_of(const stage::DaemonProcess& daemon, const std::string& uid) {
  const Result<std::string> answer = daemon.ask(R"({"op":"last_evictions"})");
  const nlohmann::json records =
      answer ? nlohmann::json::parse(*answer, nullptr, false) : nlohmann::json{};
  if (records.is_array()) {
    for (const nlohmann::json& record : records) {
      if (record.value("uid", "") == uid) {
        return record;
      }
    }
  }
  return nullptr;
}

/// The row's changes to the configuration of all benches. Each trial sets a node threshold; until
/// then nothing can cross it.
nlohmann::json changes_for(const Row& row, Bytes node_threshold) {
  nlohmann::json more = {{"realtime", {{"enabled", row.realtime}}},
                         {"lockMemory", row.realtime},
                         {"inKernelBrake", brake_of(row.killer)}};
  if (row.scene.target == Target::kNode) {
    more["evictionHard"] = {{"memory.available", std::to_string(node_threshold.value)}};
    // Otherwise a node threshold would also apply to the pod root.
    more["enforceNodeAllocatable"] = nlohmann::json::array({"none"});
  }
  return more;
}

ConsumerOptions consumer_options(const Row& row, const Ground& ground) {
  ConsumerOptions options;
  options.mechanism = row.killer == Killer::kEventfd ? Mechanism::kEventfd : Mechanism::kPoll;
  options.period = period_of(row.killer);
  options.realtime = row.realtime;
  options.directory = ground.watched_directory(row.scene.target);
  options.usage_file = ground.tree.hierarchies().usage_file();
  return options;
}

}  // namespace

Result<Contender> Contender::start(const Row& row, const Ground& ground) {
  Contender contender{row};
  if (brake_of(row.killer).empty()) {
    EVICTD_ASSIGN_OR_RETURN(Consumer consumer, Consumer::start(consumer_options(row, ground)));
    contender.consumer_ = std::move(consumer);
    return contender;
  }
  contender.ground_ = &ground;
  EVICTD_ASSIGN_OR_RETURN(stage::DaemonProcess daemon,
                          start_daemon(contender.daemon_options(1_MiB)));
  contender.daemon_ = std::move(daemon);
  return contender;
}

DaemonRunOptions Contender::daemon_options(Bytes node_threshold) const {
  return {ground_->tree, ground_->evictd.parent_path(), ground_->scratch.path(),
          kPodRootLimit - kRunUp, changes_for(row_, node_threshold)};
}

Result<> Contender::arm(pid_t victim, Bytes level) {
  if (consumer_) {
    return consumer_->arm(victim, level);
  }
  if (row_.scene.target == Target::kCgroup) {
    return {};
  }
  EVICTD_ASSIGN_OR_RETURN(const Bytes total, memory_total());
  const std::string text = bench_config(daemon_options(total - level));
  const std::filesystem::path path = ground_->scratch.path() / "evictd.yaml";
  EVICTD_TRY(stage::replace_file(path, text));
  return daemon_->reload();
}

Result<> Contender::disarm() {
  return consumer_ ? consumer_->disarm() : Result<>{};
}

Result<pid_t> Contender::hot_thread() const {
  return daemon_ ? hot_thread_of(daemon_->pid())
                 : Result<pid_t>(fail(Errc::kNotFound, "evictd does not run"));
}

std::optional<MonoTime> Contender::detected(const std::string& uid) const {
  nlohmann::json record;
  for (int look = 0; daemon_ && record.is_null() && look < kLooksForARecord; ++look) {
    if (look > 0) {
      ::nanosleep(&kBetweenLooks, nullptr);
    }
    record = record_of(*daemon_, uid);
  }
  if (record.is_null()) {
    return std::nullopt;
  }
  const nlohmann::json hook =
      record.value("timeline", nlohmann::json::object()).value("hook_ns", nlohmann::json{});
  return hook.is_number_integer() ? std::optional(MonoTime{Duration{hook.get<std::int64_t>()}})
                                  : std::nullopt;
}

}  // namespace evictd::bench
