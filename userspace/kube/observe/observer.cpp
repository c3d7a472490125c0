// SPDX-License-Identifier: Apache-2.0
#include "kube/observe/observer.h"

#include <algorithm>
#include <chrono>
#include <nlohmann/json.hpp>
#include <utility>
#include <vector>

#include "base/one_line.h"
#include "evictd/try.h"
#include "export/json_time.h"

namespace evictd::kube {

namespace {

using exporting::Comparison;
using OrderedJson = nlohmann::ordered_json;

constexpr const char* kComparisonsFile = "comparisons";
/// Retry delay after a disk failure.
constexpr Duration kSaveRetryDelay = std::chrono::seconds(2);
/// Number of the newest comparisons in the status.
constexpr std::size_t kShown = 16;

OrderedJson list_of(const std::vector<Comparison>& comparisons, std::size_t first) {
  OrderedJson list = OrderedJson::array();
  for (std::size_t i = first; i < comparisons.size(); ++i) {
    list.push_back(exporting::to_json(comparisons[i]));
  }
  return list;
}

}  // namespace

Observer::Observer(Options options, QueueFile file, ComparisonLog log, base::Timer timer)
    : options_(std::move(options)),
      file_(std::move(file)),
      log_(std::move(log)),
      timer_(std::move(timer)) {}

Result<std::unique_ptr<Observer>> Observer::create(Options options) {
  EVICTD_ASSIGN_OR_RETURN(base::Timer timer, base::Timer::create());
  EVICTD_ASSIGN_OR_RETURN(QueueFile file,
                          QueueFile::open(options.state_directory, kComparisonsFile));
  ComparisonLog log(options.window, options.clock->wall_now());
  // make_unique cannot call a private constructor.
  std::unique_ptr<Observer> observer(
      new Observer(std::move(options), std::move(file), std::move(log), std::move(timer)));
  EVICTD_TRY(observer->prepare());
  return observer;
}

Result<> Observer::prepare() {
  Result<std::vector<std::string>> lines = file_.read();
  if (!lines && lines.error().code == Errc::kExhausted) {
    options_.log->warn(lines.error().message() +
                       ", continuing without earlier comparisons, which are set aside as " +
                       kComparisonsFile + ".damaged");
    EVICTD_TRY(file_.set_aside());
    lines.emplace();
  }
  if (!lines) {
    return Failure(lines.error());
  }
  const ComparisonLog begun = log_;
  for (std::size_t i = 0; i < lines->size(); ++i) {
    const Result<> applied = log_.apply((*lines)[i], options_.clock->now());
    if (applied) {
      continue;
    }
    options_.log->warn(file_.path() + ":" + std::to_string(i + 1) + ": " +
                       applied.error().message() +
                       ", continuing without earlier comparisons, which are set aside as " +
                       kComparisonsFile + ".damaged");
    log_ = begun;
    EVICTD_TRY(file_.set_aside());
    break;
  }
  EVICTD_TRY(file_.replace(log_.texts()));
  is_saved_ = true;
  EVICTD_TRY(options_.loop->add(timer_.descriptor(), EPOLLIN, timer_handler_));
  timer_.arm(log_.due());
  return {};
}

Observer::~Observer() {
  options_.loop->remove(timer_.descriptor(), timer_handler_);
}

std::string Observer::follow_request() const {
  if (const std::optional<std::uint64_t> cursor = log_.cursor()) {
    return nlohmann::json{{"op", "follow"}, {"after", *cursor}}.dump();
  }
  return nlohmann::json{{"op", "follow"}, {"since", exporting::rfc3339(log_.horizon())}}.dump();
}

void Observer::on_line(std::string_view text) {
  ++counters_.lines;
  Result<ObservedLine> line = read_observed_line(text);
  if (!line) {
    ++counters_.unreadable;
    return;
  }
  if (line->first != 0) {
    ++counters_.skipped;
    options_.log->warn(
        "evictd dropped lines of its journal before they were read, "
        "continuing without comparing them");
    log_.move_to(line->first - 1);
    return;
  }
  if (line->seq == 0 || line->seq <= log_.cursor().value_or(0)) {
    return;
  }
  log_.move_to(line->seq);
  take(std::move(*line));
}

void Observer::take(ObservedLine line) {
  if (line.is_dry_run.has_value()) {
    evictd_problem_ = *line.is_dry_run ? ""
                                       : "evictd is not in dry run, so it evicts instead of "
                                         "the kubelet; allowed: dryRun: true in its "
                                         "configuration";
  }
  if (line.decision) {
    const bool is_new = log_.add_decision(std::move(*line.decision), options_.clock->now());
    counters_.decisions += is_new ? 1 : 0;
    schedule_save(is_new);
  } else if (line.is_dry_run == false) {
    ++counters_.not_dry_run;
  }
}

void Observer::on_eviction(exporting::ComparedEviction eviction) {
  if (eviction.time > options_.clock->wall_now() + options_.window) {
    return;  // Its clock is ahead: later evictions would count as old.
  }
  const bool is_new = log_.add_eviction(std::move(eviction), options_.clock->now());
  counters_.evictions += is_new ? 1 : 0;
  schedule_save(is_new);
}

/// At the next turn of the loop, so that changes that came together are written once.
void Observer::schedule_save(bool has_changed) {
  if (has_changed) {
    is_saved_ = false;
    timer_.arm(options_.clock->now());
  }
}

void Observer::on_timer() {
  if (!timer_.consume()) {
    return;
  }
  const bool has_settled = log_.settle(options_.clock->now());
  is_saved_ = is_saved_ && !has_settled;
  save();
  const MonoTime again =
      is_saved_ ? MonoTime::max() : moment_after(options_.clock->now(), kSaveRetryDelay);
  timer_.arm(std::min(log_.due(), again));
}

void Observer::save() {
  if (is_saved_) {
    return;
  }
  const Result<> written = file_.replace(log_.texts());
  is_saved_ = written.has_value();
  file_problem_ = written ? "" : base::one_line(written.error().message());
}

const std::string& Observer::problem() const {
  return file_problem_.empty() ? evictd_problem_ : file_problem_;
}

OrderedJson Observer::status() const {
  const std::vector<Comparison> comparisons = log_.comparisons();
  const std::optional<std::uint64_t> cursor = log_.cursor();
  return {{"file", file_.path()},
          {"kept", comparisons.size()},
          {"cursor", cursor ? OrderedJson(*cursor) : OrderedJson(nullptr)},
          {"problem", problem()},
          {"summary", exporting::to_json(exporting::summary_of(comparisons))},
          {"last", list_of(comparisons, comparisons.size() - std::min(comparisons.size(), kShown))},
          {"counters",
           {{"lines", counters_.lines},
            {"unreadable", counters_.unreadable},
            {"skipped", counters_.skipped},
            {"decisions", counters_.decisions},
            {"evictions", counters_.evictions},
            {"not_dry_run", counters_.not_dry_run}}}};
}

OrderedJson Observer::comparisons() const {
  return {{"schema", 1}, {"comparisons", list_of(log_.comparisons(), 0)}};
}

}  // namespace evictd::kube
