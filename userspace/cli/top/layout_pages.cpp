// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <string>
#include <utility>
#include <vector>

#include "cli/amount_text.h"
#include "cli/top/layout_parts.h"
#include "cli/top/row_builder.h"

namespace evictd::cli::top {

namespace {

constexpr std::size_t kNameWidth = 17;

using Fact = std::pair<std::string, std::string>;

std::string rank_in(std::int64_t rank, std::size_t pods) {
  return rank == 0 ? "not ranked" : fmt::format("{} of {}", rank, pods);
}

std::string request_text(const PodState& pod) {
  const std::optional<std::int64_t> over = pod.over_request();
  if (!over) {
    return "-";
  }
  return fmt::format("{}; usage is {} {}", bytes_or_dash(pod.request),
                     bytes_text(static_cast<double>(std::abs(*over))),
                     *over > 0 ? "above it" : "below it");
}

std::string or_dash(const std::string& text) {
  return text.empty() ? "-" : text;
}

std::string stall_text(const PodState& pod) {
  return pod.stall_us ? duration_text(std::chrono::microseconds(*pod.stall_us)) : "-";
}

std::vector<Fact> facts_of(const PodState& pod, std::size_t pods) {
  return {
      {"uid", or_dash(pod.uid)},
      {"cgroup", or_dash(pod.cgroup)},
      {"state", fmt::format("{}; described by {}", or_dash(pod.state), or_dash(pod.origin))},
      {"QoS, priority", fmt::format("{}, {}", or_dash(pod.qos), count_or_dash(pod.priority))},
      {"eviction rank", fmt::format("memory {}, tasks {}{}", rank_in(pod.memory_rank, pods),
                                    rank_in(pod.task_rank, pods),
                                    pod.is_protected ? "; protected, passed over" : "")},
      {"working set",
       fmt::format("{} ({} charged, {} inactive file cache)", bytes_or_dash(pod.working_set),
                   bytes_or_dash(pod.usage), bytes_or_dash(pod.inactive_file))},
      {"request", request_text(pod)},
      {"growth", pod.rate ? bytes_or_dash(pod.rate) + " a second" : "-"},
      {"lost to memory", stall_text(pod)},
      {"tasks", count_or_dash(pod.tasks)},
      {"local storage", bytes_or_dash(pod.local_storage)},
  };
}

Row fact_row(const Fact& fact, std::size_t width, Charset charset) {
  return RowBuilder(width, charset)
      .add(" ")
      .add_left(fact.first, kNameWidth, Style::kDim)
      .add(fact.second)
      .row();
}

const PodState* pod_of(const NodeState* node, const std::string& uid) {
  if (node == nullptr) {
    return nullptr;
  }
  const auto found = std::find_if(node->pods.begin(), node->pods.end(),
                                  [&](const PodState& pod) { return pod.uid == uid; });
  return found == node->pods.end() ? nullptr : &*found;
}

/// The pod's last events, as many as fit.
void add_events_of(const Scene& scene, Size size, const std::string& uid, Screen& screen) {
  std::vector<const EventLine*> events;
  for (const EventLine& event : scene.events->shown()) {
    if (!uid.empty() && event.pod_uid == uid) {
      events.push_back(&event);
    }
  }
  const std::size_t count = std::min(events.size(), size.height);
  for (std::size_t i = events.size() - count; i < events.size(); ++i) {
    screen.push_back(event_row(*events[i], size.width, scene.charset));
  }
}

constexpr std::array<std::pair<const char*, const char*>, 12> kHelp{{
    {"q, Ctrl-C", "ends"},
    {"space", "stands still; again: goes on"},
    {"Enter", "all about the selected pod; Esc, Enter: back"},
    {"up, down, k, j", "select a pod; also PgUp, PgDn, Home, End"},
    {"/", "shows pods whose name, uid, QoS or state contains a text"},
    {"s, S", "next order, the one before"},
    {"r", "turns the order round"},
    {"m, t", "order of eviction for memory, for tasks"},
    {"u, o", "most usage, most above its request"},
    {"g, p, n", "fastest growth, lowest priority, name"},
    {"bar of a signal", "used part; the threshold is met where usage reaches the mark"},
    {"bar of a pod", "working set; the mark is its request"},
}};

}  // namespace

Row event_row(const EventLine& event, std::size_t width, Charset charset) {
  const bool is_bad = event.kind == "decision" || event.kind == "oom_kill" ||
                      event.kind == "degraded" || event.kind == "refused";
  return RowBuilder(width, charset)
      .add(" " + event.time + " ", Style::kDim)
      .add(event.words, is_bad ? Style::kWarning : Style::kPlain)
      .row();
}

void add_events(const Scene& scene, Size size, Screen& screen) {
  RowBuilder heading(size.width, scene.charset);
  heading.add(" EVENTS (UTC)", Style::kHeading);
  if (!scene.events_trouble.empty()) {
    heading.add("  " + scene.events_trouble, Style::kBad);
  }
  screen.push_back(heading.row());
  const auto& events = scene.events->shown();
  const std::size_t count = std::min(events.size(), size.height - 1);
  for (std::size_t i = events.size() - count; i < events.size(); ++i) {
    screen.push_back(event_row(events[i], size.width, scene.charset));
  }
}

void add_detail(const Scene& scene, Size size, const View& view, Screen& screen) {
  const PodState* pod = pod_of(scene.node, view.selected);
  RowBuilder heading(size.width, scene.charset);
  heading.add(" POD ", Style::kHeading)
      .add(pod == nullptr ? view.selected : pod->name, Style::kBold);
  screen.push_back(heading.row());
  if (pod == nullptr) {
    screen.push_back(RowBuilder(size.width, scene.charset)
                         .add(" is gone; Esc goes back to the others", Style::kWarning)
                         .row());
  } else {
    for (const Fact& fact : facts_of(*pod, scene.node->pods.size())) {
      screen.push_back(fact_row(fact, size.width, scene.charset));
    }
  }
  const std::size_t room = size.height - std::min(size.height, screen.size());
  add_events_of(scene, {size.width, room}, view.selected, screen);
  screen.resize(size.height);
}

void add_help(const Scene& scene, Size size, Screen& screen) {
  screen.push_back(RowBuilder(size.width, scene.charset).add(" KEYS", Style::kHeading).row());
  for (const auto& [keys, meaning] : kHelp) {
    screen.push_back(fact_row({keys, meaning}, size.width, scene.charset));
  }
  screen.resize(size.height);
}

}  // namespace evictd::cli::top
