// SPDX-License-Identifier: Apache-2.0
#include "kube/actions/node_keeper.h"

#include <utility>

#include "base/one_line.h"
#include "kube/actions/verdict.h"

namespace evictd::kube {

namespace {

constexpr int kOkOfNode = 200;
constexpr int kConflictOfNode = 409;

}  // namespace

void NodeKeeper::want(const Pressure& pressure, MonoTime now) {
  if (pressure == wanted_) {
    return;
  }
  bool is_news = pressure.is_damped && !wanted_.is_damped;
  for (std::size_t i = 0; i < kPressureKinds.size(); ++i) {
    is_news = is_news || (pressure.kinds[i].is_set && !wanted_.kinds[i].is_set);
  }
  wanted_ = pressure;
  is_stale_ = true;
  // News must not shorten the wait for an unhealthy server.
  if (problem_.empty()) {
    due_ = is_news ? MonoTime{} : now + options_.settle;
  }
}

MonoTime NodeKeeper::due() const {
  return state_ == State::kIdle ? due_ : MonoTime::max();
}

std::optional<Ask> NodeKeeper::tick(MonoTime now, WallTime wall) {
  if (state_ != State::kIdle || now < due_) {
    return std::nullopt;
  }
  if (!read_ || is_stale_) {
    is_stale_ = false;
    is_tainted_ = false;
    read_.reset();
    state_ = State::kReading;
    return get_node_request(options_.node);
  }
  const nlohmann::json taints = wanted_taints(read_->taints, wanted_);
  if (!is_tainted_ && taints != read_->taints) {
    state_ = State::kTainting;
    return taint_request(options_.node, *read_, taints);
  }
  if (options_.conditions && !has_conditions(*read_, wanted_, *options_.conditions)) {
    state_ = State::kSettingConditions;
    return condition_request(options_.node, wanted_, *options_.conditions, wall);
  }
  read_.reset();
  due_ = now + options_.look_again;
  return std::nullopt;
}

void NodeKeeper::on_end(const Answer& answer, MonoTime now) {
  const State state = std::exchange(state_, State::kIdle);
  if (state == State::kTainting && !answer.error && answer.status == kConflictOfNode) {
    ++counters_.conflicts;
    read_.reset();
    due_ = now + backoff_.failed(options_.random());
    return;
  }
  if (answer.error || answer.status != kOkOfNode) {
    fail_with(describe(answer), answer, now);
    return;
  }
  switch (state) {
    case State::kIdle:
      break;
    case State::kReading:
      take_node(answer, now);
      break;
    case State::kTainting:
      ++counters_.taints;
      is_tainted_ = true;
      break;
    case State::kSettingConditions:
      ++counters_.conditions;
      read_.reset();
      due_ = now + options_.look_again;
      break;
  }
}

void NodeKeeper::take_node(const Answer& answer, MonoTime now) {
  Result<NodeAnswer> read = read_node(answer.body, options_.node);
  if (!read) {
    fail_with(base::one_line(read.error().message()), answer, now);
    return;
  }
  backoff_.succeeded();
  problem_.clear();
  read_ = std::move(*read);
}

void NodeKeeper::fail_with(const std::string& what, const Answer& answer, MonoTime now) {
  ++counters_.failures;
  problem_ = "the node's taints and conditions: " + what;
  read_.reset();
  due_ = now + backoff_.failed(options_.random(), answer.retry_after);
}

}  // namespace evictd::kube
