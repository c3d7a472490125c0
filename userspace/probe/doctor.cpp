// SPDX-License-Identifier: Apache-2.0
#include "probe/doctor.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/one_line.h"

namespace evictd::probe {
namespace {

using Json = nlohmann::ordered_json;

std::string_view level_name(SupportLevel level) {
  switch (level) {
    case SupportLevel::kFull:
      return "full";
    case SupportLevel::kDegraded:
      return "degraded";
    case SupportLevel::kPollOnly:
      return "poll-only";
    case SupportLevel::kUnusable:
      return "unusable";
  }
  return "";
}

std::string_view level_sentence(SupportLevel level) {
  switch (level) {
    case SupportLevel::kFull:
      return "full: every purpose is served by its best hook, and no privilege is missing";
    case SupportLevel::kDegraded:
      return "degraded: evictd works from kernel events, with the losses listed below";
    case SupportLevel::kPollOnly:
      return "polling only: no kernel event reaches evictd";
    case SupportLevel::kUnusable:
      return "unusable: there is no cgroup memory controller, so evictd does not start";
  }
  return "";
}

/// Pads `text` with spaces to `width` columns.
std::string column(std::string text, std::size_t width) {
  if (text.size() < width) {
    text.append(width - text.size(), ' ');
  }
  return text + ' ';
}

/// What is lost is told of an evictd that runs: that it polls instead is untrue where it does not
/// start.
std::string lost_at(SupportLevel level, const std::string& lost) {
  return level == SupportLevel::kUnusable ? "" : lost;
}

std::string lost_text(SupportLevel level, const std::string& lost) {
  const std::string told = lost_at(level, lost);
  return told.empty() ? "" : "    lost: " + told + '\n';
}

/// A loss in what is wanted makes a machine that has everything else one that has not.
SupportLevel level_with(const Ladder& ladder, const NotifyHooks& notify) {
  const SupportLevel level = ladder.level();
  return level == SupportLevel::kFull && notify.wanted && !notify.lost.empty()
             ? SupportLevel::kDegraded
             : level;
}

std::string_view chosen_of(const std::vector<RowReport>& rows) {
  const auto row =
      std::find_if(rows.begin(), rows.end(), [](const RowReport& one) { return one.chosen; });
  return row == rows.end() ? std::string_view{} : std::string_view{row->row};
}

std::string rows_text(const std::vector<RowReport>& rows) {
  std::string text;
  for (const RowReport& row : rows) {
    text += std::string(row.chosen ? "  * " : "    ") + column(row.row, 11) + row.hook;
    text += row.reason.empty() ? "\n" : "\n        " + base::one_line(row.reason) + '\n';
  }
  return text;
}

std::string notify_text(const NotifyHooks& notify, SupportLevel level) {
  if (notify.rows.empty()) {
    return "";
  }
  const std::string_view chosen = chosen_of(notify.rows);
  return "\nnotifications" +
         std::string(notify.wanted ? "\n" : "; what is lost counts with --notify\n") +
         column("notify", 16) + std::string(chosen.empty() ? "none" : chosen) + '\n' +
         rows_text(notify.rows) + lost_text(level, notify.lost);
}

std::string purpose_text(const PurposeReport& report, SupportLevel level) {
  std::string text = column(std::string(to_string(report.purpose)), 16);
  if (report.disabled) {
    text += "off\n";
  } else if (report.chosen().empty()) {
    text += "none\n";
  } else {
    text += std::string(report.chosen()) + '\n';
  }
  return text + rows_text(report.rows) + lost_text(level, report.lost);
}

std::string presence_text(Presence presence) {
  switch (presence) {
    case Presence::kAbsent:
      return "no";
    case Presence::kPresent:
      return "yes";
    case Presence::kUnknown:
      return "?";
  }
  return "";
}

std::string features_text(std::string_view title, const std::vector<Feature>& features) {
  std::string text = '\n' + std::string(title) + '\n';
  for (const Feature& feature : features) {
    std::string line = "  " + column(presence_text(feature.presence), 3) +
                       column(feature.name, 16) + base::one_line(feature.detail);
    line.erase(line.find_last_not_of(' ') + 1);
    text += line + '\n';
  }
  return text;
}

/// null: unknown.
Json presence_json(Presence presence) {
  return presence == Presence::kUnknown ? Json() : Json(presence == Presence::kPresent);
}

Json features_json(const std::vector<Feature>& features) {
  Json list = Json::array();
  for (const Feature& feature : features) {
    list.push_back({{"name", feature.name},
                    {"present", presence_json(feature.presence)},
                    {"detail", feature.detail}});
  }
  return list;
}

Json rows_json(const std::vector<RowReport>& reports) {
  Json rows = Json::array();
  for (const RowReport& row : reports) {
    rows.push_back(
        {{"row", row.row}, {"hook", row.hook}, {"chosen", row.chosen}, {"reason", row.reason}});
  }
  return rows;
}

Json purpose_json(const PurposeReport& report, SupportLevel level) {
  return {{"purpose", to_string(report.purpose)},
          {"chosen", report.chosen()},
          {"disabled", report.disabled},
          {"lost", lost_at(level, report.lost)},
          {"rows", rows_json(report.rows)}};
}

Json notify_json(const NotifyHooks& notify, SupportLevel level) {
  return {{"purpose", "notify"},
          {"chosen", chosen_of(notify.rows)},
          {"disabled", false},
          {"lost", lost_at(level, notify.lost)},
          {"rows", rows_json(notify.rows)},
          {"counts", notify.wanted}};
}

}  // namespace

std::string doctor_text(const Ladder& ladder, const NotifyHooks& notify) {
  std::string text = std::string(level_sentence(level_with(ladder, notify))) + '\n';
  if (!ladder.failure.empty()) {
    text += base::one_line(ladder.failure) + '\n';
  }
  text += "\nhooks, best first; * marks the one in use\n";
  for (const PurposeReport& report : ladder.purposes) {
    text += purpose_text(report, ladder.level());
  }
  return text + notify_text(notify, ladder.level()) + features_text("kernel", ladder.kernel) +
         features_text("privileges", ladder.privileges);
}

std::string doctor_json(const Ladder& ladder, const NotifyHooks& notify) {
  Json purposes = Json::array();
  for (const PurposeReport& report : ladder.purposes) {
    purposes.push_back(purpose_json(report, ladder.level()));
  }
  if (!notify.rows.empty()) {
    purposes.push_back(notify_json(notify, ladder.level()));
  }
  const Json document = {{"level", level_name(level_with(ladder, notify))},
                         {"exit_code", doctor_exit_code(ladder, notify)},
                         {"failure", ladder.failure},
                         {"purposes", purposes},
                         {"kernel", features_json(ladder.kernel)},
                         {"privileges", features_json(ladder.privileges)}};
  return base::one_line_json(document.dump(-1, ' ', false, Json::error_handler_t::replace)) + '\n';
}

int doctor_exit_code(const Ladder& ladder, const NotifyHooks& notify) {
  switch (level_with(ladder, notify)) {
    case SupportLevel::kFull:
      return 0;
    case SupportLevel::kDegraded:
      return 1;
    case SupportLevel::kPollOnly:
    case SupportLevel::kUnusable:
      return 2;
  }
  return 2;
}

}  // namespace evictd::probe
