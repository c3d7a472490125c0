// SPDX-License-Identifier: Apache-2.0
#include "kube/kubelet_source.h"

#include <algorithm>
#include <utility>

namespace evictd::kube {

namespace {

constexpr int kOk = 200;
/// A kubelet answers from memory within milliseconds.
constexpr Duration kAnswerLimit = std::chrono::seconds(10);
/// Minimum distance of two requests, however many pods start.
constexpr Duration kLeastInterval = std::chrono::milliseconds(200);

}  // namespace

MonoTime KubeletSource::due() const {
  return asking_ ? MonoTime::max() : due_;
}

std::optional<Ask> KubeletSource::tick(MonoTime now) {
  if (asking_ || now < due_) {
    return std::nullopt;
  }
  asking_ = true;
  nudged_ = false;
  asked_at_ = now;
  ++counters_.asked;
  return Ask{.path = "/pods", .form = Ask::Form::kWhole, .time_limit = kAnswerLimit};
}

void KubeletSource::on_unknown_pod(MonoTime now) {
  ++counters_.nudges;
  nudged_ = true;
  if (!asking_) {
    due_ = std::min(due_, std::max(now, asked_at_ + kLeastInterval));
  }
}

void KubeletSource::on_end(const Answer& answer, MonoTime now) {
  asking_ = false;
  if (answer.error || answer.status != kOk) {
    fail_with(describe_failure(answer, counters_), answer.retry_after, now);
    return;
  }
  Result<PodList> list = read_pod_list(answer.body, Answerer::kKubelet, options_.rules);
  if (!list) {
    ++counters_.failures;
    ++counters_.malformed;
    fail_with(list.error().message(), {}, now);
    return;
  }
  ++counters_.answers;
  ++counters_.lists;
  counters_.refused_pods += list->refused;
  problem_ = list->first_refusal;
  backoff_.succeeded();
  options_.sink->on_list(std::move(list->pods), now);
  options_.sink->on_confirmed(now);
  due_ = nudged_ ? std::max(now, asked_at_ + kLeastInterval) : asked_at_ + options_.poll_interval;
}

void KubeletSource::fail_with(std::string problem, Duration at_least, MonoTime now) {
  problem_ = std::move(problem);
  due_ = now + backoff_.failed(options_.random(), at_least);
}

}  // namespace evictd::kube
