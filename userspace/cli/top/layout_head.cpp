// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "cli/top/layout_parts.h"
#include "cli/top/row_builder.h"

namespace evictd::cli::top {

namespace {

std::string title_of(const Scene& scene) {
  if (scene.node == nullptr) {
    return " evictd";
  }
  return fmt::format(" evictd {}{}", scene.node->version,
                     scene.node->node.empty() ? "" : " on " + scene.node->node);
}

/// Unusual conditions, one word each.
void add_state(const NodeState& node, RowBuilder& row) {
  if (node.dry_run) {
    row.add("DRY RUN: nothing is killed  ", Style::kWarning);
  }
  if (!node.brake.empty()) {
    row.add("HELD: " + node.brake + "  ", Style::kBad);
  }
  for (const std::string& condition : node.conditions) {
    row.add(condition + "  ", Style::kBad);
  }
  if (node.conditions.empty()) {
    row.add("no pressure  ", Style::kGood);
  }
  if (node.event_source != "bpf") {
    row.add("polling  ", Style::kWarning);
  }
  if (!node.realtime) {
    row.add("no real-time priority  ", Style::kWarning);
  }
  row.add(fmt::format("evictions {}  ", node.evictions));
  row.add(fmt::format("OOM kills {}  ", node.oom_kills),
          node.oom_kills == 0 ? Style::kPlain : Style::kBad);
  if (node.lost_records != 0) {
    row.add(fmt::format("lost records {}  ", node.lost_records), Style::kWarning);
  }
  if (!node.last_pass.empty()) {
    row.add("last pass " + node.last_pass, Style::kDim);
  }
}

}  // namespace

void add_head(const Scene& scene, std::size_t width, const View& view, Screen& screen) {
  RowBuilder title(width, scene.charset);
  title.add(title_of(scene), Style::kTitle);
  if (view.paused) {
    title.add(fmt::format("   PAUSED, {} new events", scene.events->waiting()), Style::kTitle);
  }
  screen.push_back(title.end_with(scene.clock + " ", Style::kTitle).row());
  RowBuilder state(width, scene.charset);
  if (scene.node != nullptr) {
    add_state(*scene.node, state.add(" "));
  }
  screen.push_back(state.row());
  if (!scene.trouble.empty()) {
    RowBuilder trouble(width, scene.charset);
    trouble.add(" " + scene.trouble, Style::kBadBar);
    screen.push_back(trouble.end_with("", Style::kBadBar).row());
  }
}

Row keys_row(const Scene& scene, std::size_t width, const View& view) {
  RowBuilder row(width, scene.charset);
  if (view.editing_filter) {
    return row.add(" filter: ", Style::kHeading)
        .add(view.filter + "_", Style::kBold)
        .end_with("Enter takes it, Esc shows all pods ", Style::kDim)
        .row();
  }
  const auto key = [&](const char* name, const std::string& meaning) {
    row.add(name, Style::kBold).add(" " + meaning + "  ", Style::kDim);
  };
  row.add(" ");
  key("q", "quit");
  key("?", "help");
  key("space", view.paused ? "go on" : "pause");
  key("s", fmt::format("sort: {}{}", name_of(view.sort), view.reversed ? ", reversed" : ""));
  key("/", view.filter.empty() ? "filter" : "filter: " + view.filter);
  if (view.page == Page::kList) {
    key("Enter", "detail");
  } else {
    key("Esc", "back");
  }
  return row.row();
}

}  // namespace evictd::cli::top
