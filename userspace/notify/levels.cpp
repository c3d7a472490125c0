// SPDX-License-Identifier: Apache-2.0
#include "notify/levels.h"

#include <algorithm>
#include <tuple>

namespace evictd::notify {
namespace {

bool is_before(const LevelListener& a, const LevelListener& b) {
  return std::tie(a.threshold, a.id) < std::tie(b.threshold, b.id);
}

}  // namespace

Levels::Levels(std::vector<LevelListener> listeners) : listeners_(std::move(listeners)) {
  std::sort(listeners_.begin(), listeners_.end(), is_before);
  struct Edge {
    std::uint64_t value;
    Turn turn;
  };
  std::vector<Edge> all;
  all.reserve(listeners_.size() * 2);
  for (std::uint32_t i = 0; i < listeners_.size(); ++i) {
    const LevelListener& listener = listeners_[i];
    const bool one_edge = listener.hysteresis == 0;
    all.push_back({listener.threshold, {.listener = i, .rises = true, .falls = one_edge}});
    if (!one_edge) {
      all.push_back({listener.threshold - listener.hysteresis,
                     {.listener = i, .rises = false, .falls = true}});
    }
  }
  std::stable_sort(all.begin(), all.end(),
                   [](const Edge& a, const Edge& b) { return a.value < b.value; });
  turns_.reserve(all.size());
  for (const Edge& edge : all) {
    if (edges_.empty() || edges_.back() != edge.value) {
      edges_.push_back(edge.value);
      first_turn_.push_back(turns_.size());
    }
    turns_.push_back(edge.turn);
  }
  first_turn_.push_back(turns_.size());
}

std::uint32_t Levels::position_of(std::uint64_t level) const {
  const auto above = std::upper_bound(edges_.begin(), edges_.end(), level);
  return static_cast<std::uint32_t>(above - edges_.begin());
}

const LevelListener* Levels::find(RegistrationId id) const {
  const auto found = std::find_if(listeners_.begin(), listeners_.end(),
                                  [&](const LevelListener& l) { return l.id == id; });
  return found == listeners_.end() ? nullptr : &*found;
}

std::span<const Levels::Turn> Levels::turns_at(std::uint32_t edge) const {
  return std::span(turns_).subspan(first_turn_[edge], first_turn_[edge + 1] - first_turn_[edge]);
}

void Levels::keep_sides(const Levels& before) {
  // Both have the same order: searching for each of thousands would make registrations slower.
  auto known = before.listeners_.begin();
  for (LevelListener& listener : listeners_) {
    while (known != before.listeners_.end() && is_before(*known, listener)) {
      ++known;
    }
    if (known != before.listeners_.end() && known->id == listener.id) {
      listener.above = known->above;
      listener.placed = known->placed;
    }
  }
}

void Levels::begin(std::uint32_t position) {
  position_ = std::min(position, static_cast<std::uint32_t>(edges_.size()));
  for (LevelListener& listener : listeners_) {
    if (!listener.placed) {
      listener.above = position_ > 0 && edges_[position_ - 1] >= listener.threshold;
      listener.placed = true;
    }
  }
}

void Levels::pass_up(const Turn& turn, std::vector<RegistrationId>& told) {
  LevelListener& listener = listeners_[turn.listener];
  if (!turn.rises || listener.above) {
    return;
  }
  listener.above = true;
  if (listener.direction != EVICTD_NOTIFY_DOWN) {
    told.push_back(listener.id);
  }
}

void Levels::pass_down(const Turn& turn, std::vector<RegistrationId>& told) {
  LevelListener& listener = listeners_[turn.listener];
  if (!turn.falls || !listener.above) {
    return;
  }
  listener.above = false;
  if (listener.direction != EVICTD_NOTIFY_UP) {
    told.push_back(listener.id);
  }
}

void Levels::move(std::uint32_t to, std::vector<RegistrationId>& told) {
  to = std::min(to, static_cast<std::uint32_t>(edges_.size()));
  for (; position_ < to; ++position_) {
    for (const Turn& turn : turns_at(position_)) {
      pass_up(turn, told);
    }
  }
  for (; position_ > to; --position_) {
    for (const Turn& turn : turns_at(position_ - 1)) {
      pass_down(turn, told);
    }
  }
}

}  // namespace evictd::notify
