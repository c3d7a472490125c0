// SPDX-License-Identifier: Apache-2.0
#include "kube/actions/dispatcher.h"

#include <algorithm>
#include <utility>

namespace evictd::kube {

namespace {

/// A right may be granted late, but a terminating namespace never accepts an event again. Evictions
/// are retried without a limit.
constexpr int kMostForbidden = 8;

std::string name_of(const Entry& entry) {
  const Step& step = entry.steps.at(entry.done);
  std::string who = step.kind == Step::Kind::kEvent && step.event.is_on_node
                        ? "the node"
                        : entry.ns + "/" + entry.name;
  switch (step.kind) {
    case Step::Kind::kPodStatus:
      return "the status of " + who;
    case Step::Kind::kEvict:
      return "the eviction of " + who;
    case Step::Kind::kEvent:
      return "the event " + step.event.reason + " on " + who;
  }
  return who;
}

}  // namespace

Dispatcher::Dispatcher(DurableQueue& queue, Options options)
    : queue_(queue), options_(std::move(options)), pace_(options_.requests_per_second) {}

MonoTime Dispatcher::due() const {
  if (asked_ || queue_.state().entries().empty()) {
    return MonoTime::max();
  }
  MonoTime earliest = MonoTime::max();
  for (const auto& [number, entry] : queue_.state().entries()) {
    const auto trial = trials_.find(number);
    if (trial == trials_.end()) {
      earliest = MonoTime{};
      break;
    }
    earliest = std::min(earliest, trial->second.due);
  }
  return std::max({earliest, server_due_, pace_.ready_at()});
}

const Entry* Dispatcher::next(MonoTime now) const {
  // Untried entries come first, then tried ones, then those without an answer. A namespace whose
  // requests hang therefore takes one turn of each round only.
  const Entry* next = nullptr;
  std::pair<int, MonoTime> least{};
  for (const auto& [number, entry] : queue_.state().entries()) {
    const auto trial = trials_.find(number);
    const std::pair rank = trial == trials_.end()
                               ? std::pair(0, MonoTime{})
                               : std::pair(trial->second.unanswered, trial->second.due);
    if (rank.second <= now && (next == nullptr || rank < least)) {
      next = &entry;
      least = rank;
    }
  }
  return next;
}

std::optional<Ask> Dispatcher::tick(MonoTime now, WallTime wall) {
  if (asked_ || now < server_due_ || now < pace_.ready_at()) {
    return std::nullopt;
  }
  const Entry* const entry = next(now);
  if (entry == nullptr) {
    return std::nullopt;
  }
  const auto trial = trials_.find(entry->number);
  const bool is_tried = trial != trials_.end();
  Ask ask = make_request(*entry,
                         {.node = options_.node,
                          .policy = policy_,
                          .deletes = is_tried && trial->second.deletes,
                          .posts_again = is_tried && trial->second.posts_again},
                         wall);
  pace_.take(now);
  asked_ = entry->number;
  method_ = ask.method;
  ++counters_.asked;
  counters_.deletes += ask.method == Ask::Method::kDelete ? 1 : 0;
  return ask;
}

Result<> Dispatcher::on_end(const Answer& answer, MonoTime now) {
  const auto found = queue_.state().entries().find(*std::exchange(asked_, std::nullopt));
  const Entry& entry = found->second;
  const Verdict verdict = judge(entry.steps.at(entry.done).kind, method_, answer);
  if (verdict != Verdict::kServer) {
    server_backoff_.succeeded();
    problem_.clear();
    if (const auto trial = trials_.find(entry.number); trial != trials_.end()) {
      trial->second.unanswered = 0;
    }
  }
  return take_verdict(verdict, entry, answer, now);
}

Result<> Dispatcher::take_verdict(Verdict verdict, const Entry& entry, const Answer& answer,
                                  MonoTime now) {
  switch (verdict) {
    case Verdict::kDone:
      ++counters_.done;
      return finish(entry, entry.done + 1);
    case Verdict::kGone:
      ++counters_.gone;
      return finish(entry, entry.steps.size());
    case Verdict::kRejected:
      if (entry.steps.at(entry.done).kind == Step::Kind::kEvict) {
        delete_or_retry(entry, answer, now);
        return {};
      }
      return give_up(entry, answer);
    case Verdict::kForbidden:
      return take_forbidden(entry, answer, now);
    case Verdict::kBudget:
      ++counters_.budgets;
      delete_or_retry(entry, answer, now);
      return {};
    case Verdict::kTrouble:
      retry_later(entry, answer, now);
      return {};
    case Verdict::kUnknownVersion:
      take_unknown_version(entry, answer, now);
      return {};
    case Verdict::kExpired:
      trials_[entry.number].posts_again = true;
      return {};
    case Verdict::kServer:
      wait_for_server(entry, answer, now);
      return {};
  }
  return {};
}

void Dispatcher::wait_for_server(const Entry& entry, const Answer& answer, MonoTime now) {
  ++counters_.unavailable;
  problem_ = describe(answer);
  if (had_no_answer(answer)) {
    ++trials_[entry.number].unanswered;
  }
  server_due_ = now + server_backoff_.failed(options_.random(), answer.retry_after);
}

Result<> Dispatcher::finish(const Entry& entry, std::size_t done) {
  const std::uint64_t number = entry.number;
  Result<> noted = queue_.record_done(number, done);
  if (noted) {
    trials_.erase(number);
  }
  return noted;
}

Result<> Dispatcher::give_up(const Entry& entry, const Answer& answer) {
  ++counters_.rejected;
  options_.on_given_up(name_of(entry) + ": " + describe(answer));
  return finish(entry, entry.done + 1);
}

Result<> Dispatcher::take_forbidden(const Entry& entry, const Answer& answer, MonoTime now) {
  ++counters_.forbidden;
  const bool is_eviction = entry.steps.at(entry.done).kind == Step::Kind::kEvict;
  if (++trials_[entry.number].forbidden >= kMostForbidden && !is_eviction) {
    return give_up(entry, answer);
  }
  retry_later(entry, answer, now);
  return {};
}

void Dispatcher::take_unknown_version(const Entry& entry, const Answer& answer, MonoTime now) {
  policy_ = policy_ == RequestForm::Policy::kV1 ? RequestForm::Policy::kV1Beta1
                                                : RequestForm::Policy::kV1;
  Trial& trial = trials_[entry.number];
  if (++trial.unknown_versions % 2 == 0) {
    delete_or_retry(entry, answer, now);
  }
}

void Dispatcher::delete_or_retry(const Entry& entry, const Answer& answer, MonoTime now) {
  Trial& trial = trials_[entry.number];
  if (options_.respects_budgets || trial.deletes) {
    retry_later(entry, answer, now);
  } else {
    trial.deletes = true;
  }
}

void Dispatcher::retry_later(const Entry& entry, const Answer& answer, MonoTime now) {
  ++counters_.failures;
  Trial& trial = trials_[entry.number];
  trial.due = now + trial.backoff.failed(options_.random(), answer.retry_after);
  problem_ = name_of(entry) + ": " + describe(answer);
}

}  // namespace evictd::kube
