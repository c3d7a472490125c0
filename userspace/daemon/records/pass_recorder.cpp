// SPDX-License-Identifier: Apache-2.0
#include "daemon/records/pass_recorder.h"

#include <nlohmann/json.hpp>
#include <utility>

#include "evictd/try.h"
#include "replay/pass_json.h"
#include "replay/recording.h"

namespace evictd::daemon {

namespace {

using Json = nlohmann::ordered_json;

/// A pod may have any name; invalid UTF-8 is replaced.
void add_line(std::string& lines, const Json& json) {
  lines += json.dump(-1, ' ', /*ensure_ascii=*/false, Json::error_handler_t::replace);
  lines += '\n';
}

replay::RecordedPass pass_of(const PassDone& done) {
  const PassCopy& copy = *done.copy;
  replay::RecordedPass pass;
  pass.missed = copy.missed;
  pass.trigger = to_string(done.trigger);
  pass.now = copy.now;
  pass.cadence = copy.cadence;
  pass.before = copy.before;
  pass.waiting_before = copy.waiting_before;
  pass.observations = copy.observations;
  pass.resumed = copy.resumed;
  pass.disk_usage_pending = copy.disk_usage_pending;
  pass.disk_progress = copy.disk_progress;
  pass.layout = copy.layout;
  pass.releasing = copy.releasing;
  pass.brakes = replay::RecordedBrakes{
      .brakes = copy.brakes,
      .recent = {copy.times_before.all().begin(), copy.times_before.all().end()}};
  pass.dry_run = copy.dry_run;
  pass.local_signalled = copy.local_signalled;
  if (done.begun) {
    pass.signal_at = done.timeline.signal_at;
  }
  pass.decision = replay::to_json(copy.decision);
  pass.state = replay::to_json(copy.state);
  return pass;
}

}  // namespace

Result<PassRecorder> PassRecorder::create(const RecordingOptions& options, const core::Clock& clock,
                                          std::string_view version) {
  PassRecorder recorder;
  recorder.file_ = options.file.string();
  recorder.clock_ = &clock;
  EVICTD_ASSIGN_OR_RETURN(recorder.worker_, RecordingWorker::start(options, clock));
  static_cast<void>(recorder.worker_->write(recorder.header(version)));
  return recorder;
}

std::string PassRecorder::header(std::string_view version) const {
  std::string line;
  const Duration offset = clock_->wall_now().time_since_epoch() - clock_->now().time_since_epoch();
  add_line(line, {{"evictd_recording", replay::kRecordingVersion},
                  {"evictd_version", version},
                  {"wall_offset", offset.count()}});
  return line;
}

void PassRecorder::use_config(std::uint64_t generation, std::string yaml) {
  configs_[generation] = std::move(yaml);
}

std::size_t PassRecorder::number_of(const PassCopy::PodCopy& pod, std::string& lines) {
  const auto [entry, is_new] = numbers_.try_emplace(pod.pod);
  // The specification comes with the first measurement of its files.
  const bool with_spec = pod.pass.pod != nullptr;
  if (is_new || entry->second.with_spec != with_spec) {
    entry->second = {.number = next_number_++, .with_spec = with_spec};
    replay::RecordedPod described;
    described.number = entry->second.number;
    described.ns = pod.pod->ns;
    described.name = pod.pod->name;
    described.uid = pod.pod->uid;
    described.labels = pod.pod->labels;
    described.facts = *pod.pass.facts;
    if (with_spec) {
      described.spec = *pod.pass.pod;
    }
    add_line(lines, replay::to_json(described));
  }
  return entry->second.number;
}

void PassRecorder::record(const PassDone& done) {
  const PassCopy& copy = *done.copy;
  if (!worker_->ended().empty()) {
    return;
  }
  std::string lines;
  if (written_generation_ != copy.config_generation) {
    add_line(lines, {{"config", configs_[copy.config_generation]}});
  }
  replay::RecordedPass pass = pass_of(done);
  pass.missed += missed_;
  if (state_before_ && !pass.before) {
    pass.before = state_before_;
    pass.waiting_before = waiting_before_;
  }
  for (const PassCopy::PodCopy& pod : copy.pods) {
    pass.pods.push_back({.number = number_of(pod, lines),
                         .reading = pod.pass.reading,
                         .disk_count = pod.pass.disk_count,
                         .grown = pod.pass.grown,
                         .standing = pod.pass.standing,
                         .usage = pod.usage,
                         .statistics = pod.pass.statistics == nullptr
                                           ? std::nullopt
                                           : std::optional(*pod.pass.statistics)});
  }
  add_line(lines, replay::to_json(pass));
  counters_.missed += copy.missed;
  if (worker_->write(std::move(lines))) {
    ++counters_.passes;
    written_generation_ = copy.config_generation;
    missed_ = 0;
    state_before_.reset();
    return;
  }
  // Its descriptions were lost with it: the next pass describes everything again.
  ++counters_.missed;
  missed_ = pass.missed + 1;
  state_before_ = copy.state;
  waiting_before_ = copy.waiting;
  numbers_.clear();
  written_generation_.reset();
}

void PassRecorder::forget(const HotPod* pod) {
  numbers_.erase(pod);
}

void PassRecorder::add_journal_line(std::string_view journal_line) {
  if (journal_line.starts_with(R"({"schema":1,"kind":"decision")")) {
    return;
  }
  std::string line = R"({"event":)";
  line += journal_line;
  line += "}\n";
  static_cast<void>(worker_->write(std::move(line)));
}

std::string PassRecorder::check() {
  const std::string why = worker_->ended();
  if (end_logged_ || why.empty()) {
    return {};
  }
  end_logged_ = true;
  return "recording " + file_ + " has ended (" + why + "), continuing without it";
}

std::string PassRecorder::stop() {
  worker_->stop();
  const std::string why = worker_->ended();
  if (why == RecordingWorker::kStopped || std::exchange(end_logged_, true)) {
    return {};
  }
  return "recording " + file_ + " has ended before evictd did (" + why +
         "), continuing without what came after";
}

}  // namespace evictd::daemon
