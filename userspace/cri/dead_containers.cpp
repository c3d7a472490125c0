// SPDX-License-Identifier: Apache-2.0
#include "cri/dead_containers.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

namespace evictd::cri {

namespace {

/// The dead instances of one container of one pod, the newest first.
using Row = std::vector<const Container*>;
using Rows = std::map<std::pair<std::string, std::string>, Row>;

bool is_newer(const Container* one, const Container* other) {
  return std::pair(one->created, one->id) > std::pair(other->created, other->id);
}

Rows dead_rows(const std::vector<Container>& containers, Duration min_age, WallTime now) {
  Rows rows;
  for (const Container& container : containers) {
    if (container.state == ContainerState::kExited && !container.pod_uid.empty() &&
        container.created <= now - min_age) {
      rows[{container.pod_uid, container.name}].push_back(&container);
    }
  }
  for (auto& [unit, row] : rows) {
    std::ranges::sort(row, is_newer);
  }
  return rows;
}

std::size_t count(const Rows& rows) {
  std::size_t sum = 0;
  for (const auto& [unit, row] : rows) {
    sum += row.size();
  }
  return sum;
}

/// Moves the containers beyond `most` to `chosen`, the oldest first.
void shorten(Row& row, std::size_t most, std::vector<std::string>& chosen) {
  while (row.size() > most) {
    chosen.push_back(row.back()->id);
    row.pop_back();
  }
}

void shorten(Rows& rows, std::size_t most, std::vector<std::string>& chosen) {
  for (auto& [unit, row] : rows) {
    shorten(row, most, chosen);
  }
}

/// Limits every row to the same number; if too many remain, removes the oldest of all rows.
void shorten_together(Rows& rows, std::size_t most, std::vector<std::string>& chosen) {
  std::erase_if(rows, [](const auto& entry) { return entry.second.empty(); });
  if (rows.empty() || count(rows) <= most) {
    return;
  }
  shorten(rows, std::max<std::size_t>(1, most / rows.size()), chosen);
  Row rest;
  for (const auto& [unit, row] : rows) {
    rest.insert(rest.end(), row.begin(), row.end());
  }
  std::ranges::sort(rest, is_newer);
  shorten(rest, most, chosen);
}

}  // namespace

std::vector<std::string> choose_dead_containers(const std::vector<Container>& containers,
                                                const ContainerPolicy& policy,
                                                const IsGone& is_gone, WallTime now) {
  Rows rows = dead_rows(containers, policy.min_age, now);
  std::vector<std::string> chosen;
  for (auto& [unit, row] : rows) {
    if (is_gone(unit.first)) {
      shorten(row, 0, chosen);
    }
  }
  if (policy.max_per_pod_container) {
    shorten(rows, *policy.max_per_pod_container, chosen);
  }
  if (policy.max_containers) {
    shorten_together(rows, *policy.max_containers, chosen);
  }
  return chosen;
}

std::vector<std::string> choose_dead_sandboxes(const std::vector<Sandbox>& sandboxes,
                                               const std::vector<Container>& containers,
                                               const IsGone& is_gone) {
  std::set<std::string> inhabited;
  for (const Container& container : containers) {
    inhabited.insert(container.sandbox_id);
  }
  std::map<std::string, std::vector<const Sandbox*>> by_pod;
  for (const Sandbox& sandbox : sandboxes) {
    if (!sandbox.pod_uid.empty()) {
      by_pod[sandbox.pod_uid].push_back(&sandbox);
    }
  }
  std::vector<std::string> chosen;
  for (auto& [uid, row] : by_pod) {
    std::ranges::sort(row, [](const Sandbox* one, const Sandbox* other) {
      return std::pair(one->created, one->id) < std::pair(other->created, other->id);
    });
    if (!is_gone(uid)) {
      row.pop_back();
    }
    for (const Sandbox* const sandbox : row) {
      if (sandbox->state == SandboxState::kNotReady && !inhabited.contains(sandbox->id)) {
        chosen.push_back(sandbox->id);
      }
    }
  }
  return chosen;
}

}  // namespace evictd::cri
