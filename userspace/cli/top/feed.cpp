// SPDX-License-Identifier: Apache-2.0
#include "cli/top/feed.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "base/json_text.h"
#include "cli/refusal.h"

namespace evictd::cli::top {

namespace {

using Json = nlohmann::ordered_json;
using std::chrono::milliseconds;
using std::chrono::seconds;

/// While there is no evictd, or it refuses.
constexpr seconds kRetry{1};
/// evictd disconnects a client that is not finished by then.
constexpr seconds kAnswerPatience{5};
/// While values move: ten times a second.
constexpr milliseconds kHurry{100};

}  // namespace

std::string Feed::journal_request() const {
  Json request = {{"op", "follow"}};
  if (seq_) {
    request["after"] = *seq_;
  } else {
    request["since"] = options_.since;
  }
  return request.dump();
}

void Feed::hurry(MonoTime now) {
  status_due_ = std::min(status_due_, now + kHurry);
}

MonoTime Feed::due() const {
  const MonoTime status = status_ ? status_given_up_at_ : status_due_;
  return journal_ ? status : std::min(status, journal_due_);
}

std::vector<int> Feed::descriptors() const {
  std::vector<int> open;
  for (const auto* connection : {&status_, &journal_}) {
    if (*connection) {
      open.push_back((*connection)->fd());
    }
  }
  return open;
}

News Feed::run(MonoTime now) {
  News news;
  run_status(now, news);
  run_journal(now, news);
  if (!news.events.empty()) {
    hurry(now);
  }
  return news;
}

void Feed::give_status_up(MonoTime now, const std::string& why) {
  status_.reset();
  trouble_ = why;
  status_due_ = now + kRetry;
}

void Feed::take_status(MonoTime now, const std::string& line, News& news) {
  if (const std::string refusal = refusal_in(line); !refusal.empty()) {
    return give_status_up(now, refusal);
  }
  Result<Json> status = base::parse_json<Json>(line);
  if (!status || !status->is_object()) {
    return give_status_up(now, "evictd's answer is not a status");
  }
  status_.reset();
  status_due_ = now + options_.interval;
  if (!trouble_.empty()) {
    trouble_.clear();
    journal_due_ = now;
  }
  news.status = std::move(*status);
}

void Feed::run_status(MonoTime now, News& news) {
  if (!status_ && now >= status_due_) {
    Result<base::LineConnection> asked =
        base::LineConnection::ask(options_.socket, R"({"op":"status"})");
    if (!asked) {
      return give_status_up(now, asked.error().message());
    }
    status_ = std::move(*asked);
    status_given_up_at_ = now + kAnswerPatience;
  }
  if (!status_) {
    return;
  }
  const Result<std::vector<std::string>> lines = status_->take();
  if (!lines) {
    return give_status_up(now, lines.error().message());
  }
  if (!lines->empty()) {
    return take_status(now, lines->front(), news);
  }
  if (now >= status_given_up_at_) {
    give_status_up(now, "evictd does not answer");
  }
}

bool Feed::take_event(const std::string& line, News& news) {
  if (const std::string refusal = refusal_in(line); !refusal.empty()) {
    events_trouble_ = refusal;
    return false;
  }
  Result<Json> event = base::parse_json<Json>(line);
  if (event && event->is_object()) {
    if (const auto seq = event->find("seq"); seq != event->end() && seq->is_number_unsigned()) {
      seq_ = seq->get<std::uint64_t>();
    }
    news.events.push_back(std::move(*event));
  }
  return true;
}

void Feed::run_journal(MonoTime now, News& news) {
  if (!journal_ && now >= journal_due_) {
    journal_due_ = now + kRetry;
    if (Result<base::LineConnection> asked =
            base::LineConnection::ask(options_.socket, journal_request())) {
      journal_ = std::move(*asked);
      events_trouble_.clear();
    }
  }
  if (!journal_) {
    return;
  }
  const Result<std::vector<std::string>> lines = journal_->take();
  const bool goes_on =
      lines && std::all_of(lines->begin(), lines->end(),
                           [&](const std::string& line) { return take_event(line, news); });
  if (!goes_on) {
    journal_.reset();
    journal_due_ = now + kRetry;
  }
}

}  // namespace evictd::cli::top
