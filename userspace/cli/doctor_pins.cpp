// SPDX-License-Identifier: Apache-2.0
#include "cli/doctor_pins.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <optional>

#include "core/nearest_name.h"
#include "evictd/try.h"
#include "notify/loader.h"
#include "probe/attach_table.h"

namespace evictd::cli {

namespace {

/// One purpose and the rows that can be pinned to it.
struct Choice {
  std::string purpose;
  std::vector<std::string> rows;
};

/// In the order of the ladder; notifications last.
std::vector<Choice> choices() {
  std::vector<Choice> all;
  for (const probe::AttachRow& row : probe::attach_table()) {
    const std::string_view purpose = probe::to_string(row.purpose);
    if (all.empty() || all.back().purpose != purpose) {
      all.push_back({.purpose = std::string(purpose), .rows = {}});
    }
    all.back().rows.emplace_back(row.name);
  }
  Choice& notifications = all.emplace_back();
  notifications.purpose = notify::kPurpose;
  for (const notify::AttachRow& row : notify::attach_rows()) {
    notifications.rows.emplace_back(row.name);
  }
  for (Choice& choice : all) {
    choice.rows.emplace_back("none");
  }
  return all;
}

std::vector<std::string> purposes_of(const std::vector<Choice>& all) {
  std::vector<std::string> names;
  names.reserve(all.size());
  for (const Choice& choice : all) {
    names.push_back(choice.purpose);
  }
  return names;
}

Failure refuse_pin(const std::string& text, const std::string& reason, const std::string& allowed) {
  return fail(Errc::kInvalid, fmt::format("{}: {}; allowed: {}", text, reason, allowed));
}

/// "the nearest is NAME", if the text contains any name.
std::string unknown(const char* what, const std::string& name,
                    const std::vector<std::string>& known) {
  return name.empty()
             ? fmt::format("a {} is missing", what)
             : fmt::format("unknown {}, the nearest is {}", what, core::nearest_name(name, known));
}

/// Stores the pin of this row; returns false if its purpose has one already.
bool add_pin(Pins& pins, const std::string& purpose, const std::string& row) {
  if (purpose != notify::kPurpose) {
    const std::optional<probe::Purpose> named = probe::purpose_of(purpose);
    return named && pins.purposes.emplace(*named, row).second;
  }
  const bool is_first = pins.notify.empty();
  pins.notify = row;
  return is_first;
}

Result<> read_pin(const std::string& text, const std::vector<Choice>& all, Pins& pins) {
  const std::size_t equals = text.find('=');
  const std::vector<std::string> purposes = purposes_of(all);
  if (equals == std::string::npos) {
    return refuse_pin(text, R"("=ROW" is missing)",
                      fmt::format("PURPOSE=ROW with a purpose of {}", fmt::join(purposes, ", ")));
  }
  const std::string purpose = text.substr(0, equals);
  const auto choice = std::find_if(all.begin(), all.end(),
                                   [&](const Choice& one) { return one.purpose == purpose; });
  if (choice == all.end()) {
    return refuse_pin(text, unknown("purpose", purpose, purposes),
                      fmt::format("{}", fmt::join(purposes, ", ")));
  }
  const std::string row = text.substr(equals + 1);
  if (std::find(choice->rows.begin(), choice->rows.end(), row) == choice->rows.end()) {
    return refuse_pin(text, unknown("row", row, choice->rows),
                      fmt::format("{}", fmt::join(choice->rows, ", ")));
  }
  if (!add_pin(pins, purpose, row)) {
    return refuse_pin(text, purpose + " is pinned twice", "one row a purpose");
  }
  return {};
}

}  // namespace

Result<Pins> parse_pins(const std::vector<std::string>& texts) {
  const std::vector<Choice> all = choices();
  Pins pins;
  for (const std::string& text : texts) {
    EVICTD_TRY(read_pin(text, all, pins));
  }
  return pins;
}

}  // namespace evictd::cli
