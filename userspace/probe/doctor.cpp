// SPDX-License-Identifier: Apache-2.0
#include "probe/doctor.h"

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
  }
  return "";
}

std::string_view level_sentence(SupportLevel level) {
  switch (level) {
    case SupportLevel::kFull:
      return "full: every purpose is served by its best hook, and no privilege is missing";
    case SupportLevel::kDegraded:
      return "degraded: evictd works from kernel events, with the losses named below";
    case SupportLevel::kPollOnly:
      return "polling only: no kernel event reaches evictd";
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

std::string purpose_text(const PurposeReport& report) {
  std::string text = column(std::string(to_string(report.purpose)), 16);
  if (report.disabled) {
    text += "off\n";
  } else if (report.chosen().empty()) {
    text += "none\n";
  } else {
    text += std::string(report.chosen()) + '\n';
  }
  for (const RowReport& row : report.rows) {
    text += std::string(row.chosen ? "  * " : "    ") + column(row.row, 11) + row.hook;
    text += row.reason.empty() ? "\n" : "\n        " + base::one_line(row.reason) + '\n';
  }
  if (!report.lost.empty()) {
    text += "    lost: " + report.lost + '\n';
  }
  return text;
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

Json purpose_json(const PurposeReport& report) {
  Json rows = Json::array();
  for (const RowReport& row : report.rows) {
    rows.push_back(
        {{"row", row.row}, {"hook", row.hook}, {"chosen", row.chosen}, {"reason", row.reason}});
  }
  return {{"purpose", to_string(report.purpose)},
          {"chosen", report.chosen()},
          {"disabled", report.disabled},
          {"lost", report.lost},
          {"rows", rows}};
}

}  // namespace

std::string doctor_text(const Ladder& ladder) {
  std::string text = std::string(level_sentence(ladder.level())) + '\n';
  if (!ladder.failure.empty()) {
    text += base::one_line(ladder.failure) + '\n';
  }
  text += "\nhooks, best first; * marks the one in use\n";
  for (const PurposeReport& report : ladder.purposes) {
    text += purpose_text(report);
  }
  return text + features_text("kernel", ladder.kernel) +
         features_text("privileges", ladder.privileges);
}

std::string doctor_json(const Ladder& ladder) {
  Json purposes = Json::array();
  for (const PurposeReport& report : ladder.purposes) {
    purposes.push_back(purpose_json(report));
  }
  const Json document = {{"level", level_name(ladder.level())},
                         {"exit_code", doctor_exit_code(ladder)},
                         {"failure", ladder.failure},
                         {"purposes", purposes},
                         {"kernel", features_json(ladder.kernel)},
                         {"privileges", features_json(ladder.privileges)}};
  return base::one_line_json(document.dump(-1, ' ', false, Json::error_handler_t::replace)) + '\n';
}

int doctor_exit_code(const Ladder& ladder) {
  switch (ladder.level()) {
    case SupportLevel::kFull:
      return 0;
    case SupportLevel::kDegraded:
      return 1;
    case SupportLevel::kPollOnly:
      return 2;
  }
  return 2;
}

}  // namespace evictd::probe
