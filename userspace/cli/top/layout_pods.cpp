// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <functional>
#include <string>
#include <vector>

#include "cli/amount_text.h"
#include "cli/top/layout_parts.h"
#include "cli/top/row_builder.h"

namespace evictd::cli::top {

namespace {

constexpr std::size_t kNarrowestName = 18;
constexpr std::size_t kNarrowestBar = 8;
constexpr std::size_t kWidestBar = 24;

/// A column other than the pod's name, which is first, and the bar, which is last.
struct Column {
  std::string heading;
  std::function<std::string(const PodState&)> text;
  /// Columns with a lower value stay longer as the screen gets narrower.
  int importance = 0;
  std::size_t width = 0;
  bool is_text = false;
};

std::string growth_text(const std::optional<std::int64_t>& rate) {
  return rate ? bytes_text(static_cast<double>(*rate)) : "-";
}

/// Notable states: the pod cannot be evicted, or does not run.
std::string state_of(const PodState& pod) {
  constexpr std::string_view kActive = "active, ";
  if (pod.state == "active") {
    return {};
  }
  return pod.state.starts_with(kActive) ? pod.state.substr(kActive.size()) : pod.state;
}

std::string rank_text(const PodState& pod, SortKey sort) {
  const std::int64_t rank = sort == SortKey::kTasks ? pod.task_rank : pod.memory_rank;
  return rank == 0 ? "-" : std::to_string(rank);
}

std::vector<Column> all_columns(SortKey sort) {
  return {
      {"#", [sort](const PodState& pod) { return rank_text(pod, sort); }, 0},
      {"STATE", state_of, 2, 0, true},
      {"QOS", [](const PodState& pod) { return pod.qos.empty() ? "-" : pod.qos; }, 4, 0, true},
      {"PRIO", [](const PodState& pod) { return count_or_dash(pod.priority); }, 1},
      {"TASKS", [](const PodState& pod) { return count_or_dash(pod.tasks); },
       sort == SortKey::kTasks ? 0 : 3},
      {"GROWTH/s", [](const PodState& pod) { return growth_text(pod.rate); },
       sort == SortKey::kGrowth ? 0 : 5},
      {"USAGE", [](const PodState& pod) { return bytes_or_dash(pod.working_set); }, 0},
      {"REQUEST", [](const PodState& pod) { return bytes_or_dash(pod.request); }, 0},
  };
}

struct Table {
  std::vector<Column> columns;
  std::size_t name = kNarrowestName;
  std::size_t bar = kNarrowestBar;
  /// The quantity at the full length of each bar.
  double full = 0;
};

std::size_t width_of_columns(const std::vector<Column>& columns) {
  std::size_t width = 0;
  for (const Column& column : columns) {
    width += column.width + 1;
  }
  return width;
}

/// Drops the least important column first.
void leave_out_one(std::vector<Column>& columns) {
  columns.erase(std::max_element(
      columns.begin(), columns.end(),
      [](const auto& one, const auto& two) { return one.importance < two.importance; }));
}

bool has_dispensable(const std::vector<Column>& columns) {
  return std::any_of(columns.begin(), columns.end(),
                     [](const Column& column) { return column.importance > 0; });
}

std::size_t longest_name(const std::vector<const PodState*>& pods, Charset charset) {
  std::size_t longest = 3;
  for (const PodState* pod : pods) {
    longest = std::max(longest, cells_of(printable(pod->name, charset)));
  }
  return longest;
}

/// Columns as wide as their content, as many as leave room for names.
Table table_for(const std::vector<const PodState*>& pods, const View& view, std::size_t width,
                Charset charset) {
  Table table{.columns = all_columns(view.sort)};
  for (Column& column : table.columns) {
    column.width = column.heading.size();
    for (const PodState* pod : pods) {
      column.width = std::max(column.width, cells_of(printable(column.text(*pod), charset)));
    }
  }
  for (const PodState* pod : pods) {
    table.full = std::max({table.full, static_cast<double>(pod->working_set.value_or(0)),
                           static_cast<double>(pod->request.value_or(0))});
  }
  const std::size_t names = longest_name(pods, charset);
  const std::size_t least = std::min(names, kNarrowestName) + kNarrowestBar + 3;
  while (width_of_columns(table.columns) + least > width && has_dispensable(table.columns)) {
    leave_out_one(table.columns);
  }
  const std::size_t taken = width_of_columns(table.columns) + kNarrowestBar + 3;
  table.name = std::min(names, width - std::min(width, taken));
  const std::size_t rest = width - std::min(width, taken + table.name);
  table.bar = std::min(kWidestBar, kNarrowestBar + rest);
  return table;
}

void add_cell(RowBuilder& row, const Column& column, const std::string& text, Style style) {
  if (column.is_text) {
    row.add_left(text, column.width, style);
  } else {
    row.add_right(text, column.width, style);
  }
  row.add(" ");
}

Row heading_row(const Table& table, std::size_t width, Charset charset) {
  RowBuilder row(width, charset);
  row.add(" ");
  for (std::size_t i = 0; i < table.columns.size(); ++i) {
    add_cell(row, table.columns[i], table.columns[i].heading, Style::kHeading);
    if (i == 0) {
      row.add_left("POD", table.name + 1, Style::kHeading);
    }
  }
  return row.add("USED/REQ", Style::kHeading).row();
}

Row pod_row(const PodState& pod, const Table& table, std::size_t width, Charset charset) {
  const Style style = pod.is_protected || pod.memory_rank == 0 ? Style::kDim : Style::kPlain;
  RowBuilder row(width, charset);
  row.add(" ");
  for (std::size_t i = 0; i < table.columns.size(); ++i) {
    add_cell(row, table.columns[i], table.columns[i].text(pod), style);
    if (i == 0) {
      row.add_left(pod.name, table.name, style).add(" ");
    }
  }
  if (pod.working_set) {
    add_bar(row,
            {.used = static_cast<double>(*pod.working_set),
             .mark = static_cast<double>(pod.request.value_or(0)),
             .full = table.full},
            table.bar, {.before_mark = Style::kGood, .past_mark = Style::kWarning}, charset);
  }
  return row.row();
}

/// Scrolls just far enough to show the selected pod.
std::size_t first_to_show(const View& view, std::size_t selected, std::size_t count,
                          std::size_t height) {
  const std::size_t last_first = count - std::min(count, height);
  const std::size_t lowest = selected + 1 - std::min(selected + 1, height);
  return std::min(std::clamp(view.first_shown, lowest, std::max(lowest, selected)), last_first);
}

std::string no_pods_text(const Scene& scene, const View& view) {
  if (scene.node == nullptr) {
    return {};
  }
  return scene.node->pods.empty() ? " no pods" : " no pod matches \"" + view.filter + "\"";
}

}  // namespace

void add_pods(const Scene& scene, Size size, View& view, Screen& screen) {
  const std::vector<const PodState*> pods =
      scene.node == nullptr ? std::vector<const PodState*>() : pods_in_order(*scene.node, view);
  const Table table = table_for(pods, view, size.width, scene.charset);
  screen.push_back(heading_row(table, size.width, scene.charset));
  if (pods.empty()) {
    screen.push_back(
        RowBuilder(size.width, scene.charset).add(no_pods_text(scene, view), Style::kDim).row());
    return;
  }
  const std::size_t selected = selected_place(pods, view);
  view.page_length = size.height;
  view.first_shown = first_to_show(view, selected, pods.size(), size.height);
  const std::size_t end = std::min(pods.size(), view.first_shown + size.height);
  for (std::size_t place = view.first_shown; place < end; ++place) {
    Row row = pod_row(*pods[place], table, size.width, scene.charset);
    row.selected = place == selected;
    screen.push_back(std::move(row));
  }
}

}  // namespace evictd::cli::top
