// SPDX-License-Identifier: Apache-2.0
#include "kube/observe/comparison_log.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

#include "base/json_text.h"
#include "core/rfc3339.h"
#include "evictd/try.h"
#include "export/json_time.h"

namespace evictd::kube {

namespace {

using exporting::ComparedEviction;
using exporting::Comparison;
using OrderedJson = nlohmann::ordered_json;

/// Source of a time that was taken at the kubelet's decision.
constexpr std::string_view kEvent = "event";
constexpr const char* kHeadKind = "comparisons";

Duration distance(WallTime one, WallTime other) {
  return one < other ? other - one : one - other;
}

}  // namespace

std::optional<ComparedEviction>& ComparisonLog::side_of(Comparison& comparison, Side side) {
  return side == Side::kEvictd ? comparison.evictd : comparison.kubelet;
}

template <typename IsPartner>
ComparisonLog::Kept* ComparisonLog::find_waiting(Side missing, WallTime time,
                                                 IsPartner is_partner) {
  const Side present = missing == Side::kEvictd ? Side::kKubelet : Side::kEvictd;
  Kept* nearest = nullptr;
  Duration least = window_;
  for (Kept& kept : kept_) {
    const std::optional<ComparedEviction>& there = side_of(kept.comparison, present);
    if (!kept.comparison.is_waiting || !there || !is_partner(*there)) {
      continue;
    }
    if (const Duration apart = distance(there->time, time); apart <= least) {
      nearest = &kept;
      least = apart;
    }
  }
  return nearest;
}

bool ComparisonLog::add_decision(ComparedEviction decision, MonoTime now) {
  const bool is_known = std::any_of(kept_.begin(), kept_.end(), [&](const Kept& kept) {
    return kept.comparison.evictd && kept.comparison.evictd->id == decision.id &&
           kept.comparison.evictd->uid == decision.uid;
  });
  if (!is_known) {
    add(std::move(decision), Side::kEvictd, now);
  }
  return !is_known;
}

bool ComparisonLog::add_eviction(ComparedEviction eviction, MonoTime now) {
  for (Kept& kept : kept_) {
    std::optional<ComparedEviction>& known = kept.comparison.kubelet;
    if (known && known->uid == eviction.uid) {
      const bool is_better = eviction.time_source == kEvent && known->time_source != kEvent;
      if (is_better) {
        known = std::move(eviction);
      }
      return is_better;
    }
  }
  if (eviction.time + eviction.precision < horizon_) {
    return false;
  }
  add(std::move(eviction), Side::kKubelet, now);
  return true;
}

void ComparisonLog::add(ComparedEviction eviction, Side side, MonoTime now) {
  Kept* const partner = find_waiting(side, eviction.time, [&](const ComparedEviction& other) {
    return other.uid == eviction.uid;
  });
  if (partner != nullptr) {
    side_of(partner->comparison, side) = std::move(eviction);
    partner->comparison.is_waiting = false;
    return;
  }
  Kept kept{.comparison = {.is_waiting = true}, .settled_at = moment_after(now, wait_of(side))};
  side_of(kept.comparison, side) = std::move(eviction);
  keep(std::move(kept));
}

/// A kubelet's eviction may follow evictd's decision by up to a window, and searches for a partner
/// after its own window.
Duration ComparisonLog::wait_of(Side side) const {
  return side == Side::kKubelet ? window_ : 2 * window_;
}

void ComparisonLog::keep(Kept kept) {
  kept_.push_back(std::move(kept));
  if (kept_.size() <= kMostKept) {
    return;
  }
  if (const auto& gone = kept_.front().comparison.kubelet) {
    horizon_ = std::max(horizon_, gone->time + gone->precision + Duration(1));
  }
  kept_.erase(kept_.begin());
}

bool ComparisonLog::settle(MonoTime now) {
  bool has_changed = false;
  for (std::size_t i = 0; i < kept_.size(); ++i) {
    if (kept_[i].comparison.is_waiting && kept_[i].settled_at <= now) {
      settle_eviction(i);
      has_changed = true;
    }
  }
  std::erase_if(
      kept_, [](const Kept& kept) { return !kept.comparison.evictd && !kept.comparison.kubelet; });
  return has_changed;
}

/// Pairs the eviction at `place`; its partner's own slot becomes empty.
void ComparisonLog::settle_eviction(std::size_t place) {
  Comparison& comparison = kept_[place].comparison;
  comparison.is_waiting = false;
  if (!comparison.kubelet || comparison.kubelet->resource.empty()) {
    return;
  }
  Kept* const partner =
      find_waiting(Side::kKubelet, comparison.kubelet->time, [&](const ComparedEviction& other) {
        return other.resource == comparison.kubelet->resource;
      });
  if (partner != nullptr) {
    comparison.evictd = std::exchange(partner->comparison.evictd, std::nullopt);
    partner->comparison.is_waiting = false;
  }
}

MonoTime ComparisonLog::due() const {
  MonoTime due = MonoTime::max();
  for (const Kept& kept : kept_) {
    if (kept.comparison.is_waiting) {
      due = std::min(due, kept.settled_at);
    }
  }
  return due;
}

std::vector<Comparison> ComparisonLog::comparisons() const {
  std::vector<Comparison> comparisons;
  comparisons.reserve(kept_.size());
  for (const Kept& kept : kept_) {
    comparisons.push_back(kept.comparison);
  }
  return comparisons;
}

std::vector<std::string> ComparisonLog::texts() const {
  std::vector<std::string> texts;
  texts.reserve(kept_.size() + 1);
  texts.push_back(OrderedJson{{"schema", 1},
                              {"kind", kHeadKind},
                              {"since", exporting::rfc3339(horizon_)},
                              {"cursor", cursor_ ? OrderedJson(*cursor_) : OrderedJson(nullptr)}}
                      .dump());
  for (const Kept& kept : kept_) {
    texts.push_back(exporting::to_json(kept.comparison)
                        .dump(-1, ' ', false, OrderedJson::error_handler_t::replace));
  }
  return texts;
}

Result<> ComparisonLog::apply(std::string_view text, MonoTime now) {
  EVICTD_ASSIGN_OR_RETURN(const OrderedJson json, base::parse_json<OrderedJson>(text));
  if (!json.is_object() || json.value("kind", OrderedJson()) != kHeadKind) {
    EVICTD_ASSIGN_OR_RETURN(Comparison read, exporting::comparison_from_json(json));
    read.is_waiting = read.is_waiting && !read.is_pair();
    const Side side = read.kubelet ? Side::kKubelet : Side::kEvictd;
    keep({.comparison = std::move(read), .settled_at = moment_after(now, wait_of(side))});
    return {};
  }
  const OrderedJson since = json.value("since", OrderedJson());
  const OrderedJson cursor = json.value("cursor", OrderedJson());
  const Result<WallTime> horizon =
      core::wall_time_from_rfc3339(since.is_string() ? since.get<std::string>() : std::string());
  if (json.value("schema", OrderedJson()) != 1 || !horizon ||
      !(cursor.is_null() || cursor.is_number_unsigned())) {
    return fail(Errc::kMalformed, "not the first line of comparisons");
  }
  horizon_ = *horizon;
  cursor_ = cursor.is_null() ? std::nullopt : std::optional(cursor.get<std::uint64_t>());
  return {};
}

}  // namespace evictd::kube
