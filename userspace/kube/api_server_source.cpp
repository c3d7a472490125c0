// SPDX-License-Identifier: Apache-2.0
#include "kube/api_server_source.h"

#include <algorithm>
#include <utility>

namespace evictd::kube {

namespace {

constexpr int kOkStatus = 200;
constexpr int kBadRequest = 400;
constexpr int kGoneStatus = 410;
constexpr Duration kListLimit = std::chrono::seconds(60);
/// How much later than requested a server may end a watch.
constexpr Duration kWatchSlack = std::chrono::seconds(30);
/// A shorter watch without any event counts as failed, even if the server reports success.
constexpr Duration kShortestWatch = std::chrono::seconds(1);
/// etcd stores no object above 1.5 MiB.
constexpr std::size_t kLongestLine = std::size_t{8} << 20U;

/// The node's name needs no escapes: reading the configuration checked it. Events have no field
/// selector for the node.
std::string path_of(const AnswerRules& rules) {
  return rules.listed == Listed::kPods
             ? "/api/v1/pods?fieldSelector=spec.nodeName%3D" + rules.node
             : "/api/v1/events?fieldSelector=reason%3DEvicted%2CinvolvedObject.kind%3DPod";
}

}  // namespace

MonoTime ApiServerSource::due() const {
  switch (state_) {
    case State::kIdle:
      return due_;
    case State::kListing:
      return MonoTime::max();
    case State::kWatching:
      return break_ == Break::kNone ? last_data_at_ + options_.silence_limit : MonoTime::min();
  }
  return MonoTime::max();
}

std::optional<Ask> ApiServerSource::tick(MonoTime now) {
  if (state_ != State::kIdle || now < due_) {
    return std::nullopt;
  }
  ++counters_.asked;
  return need_list_ ? list() : watch(now);
}

Ask ApiServerSource::list() {
  state_ = State::kListing;
  return {.path = path_of(options_.rules) + (version_ == Version::kAny ? "&resourceVersion=0" : ""),
          .form = Ask::Form::kWhole,
          .time_limit = kListLimit};
}

Ask ApiServerSource::watch(MonoTime now) {
  state_ = State::kWatching;
  ++counters_.watches;
  break_ = Break::kNone;
  break_reason_.clear();
  started_at_ = now;
  last_data_at_ = now;
  is_open_ = false;
  had_event_ = false;
  unfinished_line_.clear();
  const auto seconds =
      std::chrono::duration_cast<std::chrono::seconds>(options_.watch_time).count();
  return {.path = path_of(options_.rules) + "&watch=true&allowWatchBookmarks=true" +
                  "&resourceVersion=" + resource_version_ +
                  "&timeoutSeconds=" + std::to_string(seconds),
          .form = Ask::Form::kStream,
          .time_limit = options_.watch_time + kWatchSlack};
}

bool ApiServerSource::must_cancel(MonoTime now) {
  if (state_ != State::kWatching) {
    return false;
  }
  if (break_ == Break::kNone && now - last_data_at_ >= options_.silence_limit) {
    ++counters_.silent_watches;
    break_ = Break::kSilent;
    break_reason_ = "the watch went silent";
  }
  return break_ != Break::kNone;
}

void ApiServerSource::on_head(int status, MonoTime now) {
  if (state_ == State::kWatching && status == kOkStatus) {
    is_open_ = true;
    last_data_at_ = now;
    problem_.clear();
    // No change was missed before this resource version: a server that no longer has it reports an
    // error.
    options_.sink->on_confirmed(now);
  }
}

bool ApiServerSource::on_data(std::string_view piece, MonoTime now) {
  last_data_at_ = now;
  for (std::size_t end = piece.find('\n'); end != std::string_view::npos; end = piece.find('\n')) {
    const std::string line =
        std::exchange(unfinished_line_, {}) + std::string(piece.substr(0, end));
    piece.remove_prefix(end + 1);
    if (!take_line(line, now)) {
      return false;
    }
  }
  unfinished_line_ += piece;
  if (unfinished_line_.size() > kLongestLine) {
    ++counters_.malformed;
    break_ = Break::kRelist;
    break_reason_ = "a line of more than " + std::to_string(kLongestLine) + " bytes in a watch";
    return false;
  }
  return true;
}

bool ApiServerSource::take_line(std::string_view line, MonoTime now) {
  if (line.empty() || line == "\r") {
    return true;
  }
  Result<WatchEvent> event = read_watch_event(line, options_.rules);
  if (!event) {
    // Nobody knows which pod it was about.
    ++counters_.malformed;
    break_ = Break::kRelist;
    break_reason_ = "a line of a watch: " + event.error().message();
    return false;
  }
  return take_event(std::move(*event), now);
}

bool ApiServerSource::take_event(WatchEvent event, MonoTime now) {
  switch (event.kind) {
    case WatchEvent::Kind::kGone:
      ++counters_.expired;
      break_ = Break::kRelist;
      break_reason_ = "the resource version is too old";
      return false;
    case WatchEvent::Kind::kError:
      break_ = Break::kFailed;
      break_reason_ = "the watch ended in an error: " + event.refusal;
      return false;
    case WatchEvent::Kind::kRefused:
      ++counters_.refused_pods;
      problem_ = event.refusal;
      break;
    case WatchEvent::Kind::kForeign:
      ++counters_.foreign_pods;
      break;
    case WatchEvent::Kind::kBookmark:
      ++counters_.bookmarks;
      break;
    case WatchEvent::Kind::kChanged:
      ++counters_.watch_events;
      options_.sink->on_pod(std::move(event.pod));
      break;
    case WatchEvent::Kind::kDeleted:
      ++counters_.watch_events;
      options_.sink->on_deleted(event.pod.uid);
      break;
  }
  had_event_ = true;
  backoff_.succeeded();
  resource_version_ = std::move(event.resource_version);
  options_.sink->on_confirmed(now);
  return break_ == Break::kNone;
}

void ApiServerSource::on_end(const Answer& answer, MonoTime now) {
  const State ended = std::exchange(state_, State::kIdle);
  if (ended == State::kListing) {
    end_list(answer, now);
  } else if (break_ != Break::kNone) {
    end_broken_watch(now);
  } else {
    end_watch(answer, now);
  }
}

void ApiServerSource::end_list(const Answer& answer, MonoTime now) {
  if (answer.error || answer.status != kOkStatus) {
    fail_with(describe_failure(answer, counters_), answer.retry_after, now);
    return;
  }
  Result<PodList> read = read_pod_list(answer.body, Answerer::kApiServer, options_.rules);
  if (!read) {
    ++counters_.failures;
    ++counters_.malformed;
    fail_with(read.error().message(), {}, now);
    return;
  }
  take_list(std::move(*read), now);
}

void ApiServerSource::take_list(PodList list, MonoTime now) {
  ++counters_.answers;
  ++counters_.lists;
  counters_.refused_pods += list.refused;
  counters_.foreign_pods += list.foreign;
  due_ = now;
  if (list.pods.empty() && version_ == Version::kAny && options_.sink->knows_pods()) {
    // The server's cache may be older than the known state: request what is stored.
    version_ = Version::kNewest;
    return;
  }
  problem_ = list.first_refusal;
  need_list_ = false;
  resource_version_ = std::move(list.resource_version);
  options_.sink->on_list(std::move(list.pods), now);
  options_.sink->on_confirmed(now);
}

void ApiServerSource::end_broken_watch(MonoTime now) {
  ++counters_.failures;
  if (break_ == Break::kRelist || break_ == Break::kFailed) {
    relist();
  }
  fail_with(std::exchange(break_reason_, {}), {}, now);
}

void ApiServerSource::end_watch(const Answer& answer, MonoTime now) {
  const bool is_cut = answer.error || !unfinished_line_.empty();
  if (!is_open_ || is_cut) {
    counters_.cut_watches += is_open_ ? 1 : 0;
    if (answer.status == kGoneStatus || answer.status == kBadRequest) {
      counters_.expired += answer.status == kGoneStatus ? 1 : 0;
      relist();
    }
    Answer failed = answer;
    if (is_open_ && !failed.error) {
      failed.error = Error{.code = Errc::kIo, .sys_errno = 0, .context = "a watch was cut"};
    }
    fail_with(describe_failure(failed, counters_), answer.retry_after, now);
    return;
  }
  if (!had_event_ && now - started_at_ < kShortestWatch) {
    ++counters_.failures;
    fail_with("a watch ended as soon as it began", {}, now);
    return;
  }
  backoff_.succeeded();
  due_ = now;
}

void ApiServerSource::on_write_failed(MonoTime now) {
  relist();
  if (state_ == State::kIdle) {
    due_ = now + backoff_.failed(options_.random());
  } else if (state_ == State::kWatching && break_ == Break::kNone) {
    break_ = Break::kRelist;
    break_reason_ = "a manifest could not be written";
  }
}

void ApiServerSource::fail_with(std::string problem, Duration at_least, MonoTime now) {
  problem_ = std::move(problem);
  due_ = now + backoff_.failed(options_.random(), at_least);
}

}  // namespace evictd::kube
