// SPDX-License-Identifier: Apache-2.0
#include "probe/ladder_search.h"

#include <algorithm>

namespace evictd::probe {
namespace {

constexpr std::string_view kNone = "none";

bool is_first_row(const AttachRow& row) {
  const std::span<const AttachRow> table = attach_table();
  const auto first = std::find_if(table.begin(), table.end(),
                                  [&](const AttachRow& r) { return r.purpose == row.purpose; });
  return &*first == &row;
}

/// Whether the options leave out an optional purpose.
bool is_switched_off(Purpose purpose, const Options& options) {
  return (purpose == Purpose::kPerPageCharge && !options.per_page_hook) ||
         (purpose == Purpose::kBackstop && !options.backstop);
}

}  // namespace

Result<LadderSearch> LadderSearch::create(const Options& options) {
  LadderSearch search;
  for (std::size_t i = 0; i < kPurposes; ++i) {
    Search& one = search.searches_.emplace_back();
    one.purpose = static_cast<Purpose>(i);
    const auto pin = options.pins.find(one.purpose);
    const bool pinned = pin != options.pins.end();
    one.disabled = pinned ? pin->second == kNone : is_switched_off(one.purpose, options);
    one.by_default = one.purpose == Purpose::kBackstop && !pinned && !one.disabled &&
                     options.backstop_by_default;
    bool known = !pinned || pin->second == kNone;
    std::string allowed{kNone};
    for (const AttachRow& row : attach_table()) {
      if (row.purpose != one.purpose) {
        continue;
      }
      std::string reason;
      if (one.disabled) {
        reason = "not tried: switched off";
      } else if (pinned && pin->second != row.name) {
        reason = "not tried: " + pin->second + " is pinned";
      }
      known = known || (pinned && pin->second == row.name);
      allowed += ", " + std::string(row.name);
      one.candidates.push_back({.row = &row, .reason = std::move(reason)});
    }
    if (!known) {
      return fail(Errc::kInvalid, "hook for " + std::string(to_string(one.purpose)) + ": no \"" +
                                      pin->second + "\"; allowed are " + allowed);
    }
  }
  return search;
}

const AttachRow* LadderSearch::next(const Search& search) {
  const auto candidate = std::find_if(search.candidates.begin(), search.candidates.end(),
                                      [](const Candidate& c) { return c.reason.empty(); });
  return candidate == search.candidates.end() ? nullptr : candidate->row;
}

std::vector<const AttachRow*> LadderSearch::current() const {
  std::vector<const AttachRow*> rows;
  for (const Search& search : searches_) {
    if (const AttachRow* row = next(search)) {
      rows.push_back(row);
    }
  }
  return rows;
}

const AttachRow* LadderSearch::row_of(std::string_view program) const {
  for (const AttachRow* row : current()) {
    if (!program.empty() &&
        std::find(row->programs.begin(), row->programs.end(), program) != row->programs.end()) {
      return row;
    }
  }
  return nullptr;
}

void LadderSearch::reject(const AttachRow& row, std::string reason) {
  for (Search& search : searches_) {
    for (Candidate& candidate : search.candidates) {
      if (candidate.row == &row) {
        candidate.reason = reason.empty() ? "failed without a message" : std::move(reason);
        return;
      }
    }
  }
}

void LadderSearch::reject_all(std::string_view name, const std::string& reason) {
  for (Search& search : searches_) {
    for (Candidate& candidate : search.candidates) {
      if (candidate.row->name == name && candidate.reason.empty()) {
        candidate.reason = reason;
      }
    }
  }
}

std::vector<std::string_view> LadderSearch::names_of_core() {
  std::vector<std::string_view> names;
  for (const CoreProgram& program : core_programs()) {
    names.push_back(program.name);
  }
  return names;
}

bool LadderSearch::wants(std::string_view program) const {
  return std::find(core_.begin(), core_.end(), program) != core_.end() ||
         row_of(program) != nullptr;
}

bool LadderSearch::reject_core(std::string_view program, const std::string& reason) {
  const auto name = std::find(core_.begin(), core_.end(), program);
  if (name == core_.end()) {
    return false;
  }
  const std::string why = "needs " + std::string(program) + ": " + reason;
  const std::span<const CoreProgram> core = core_programs();
  const auto given_up =
      std::find_if(core.begin(), core.end(), [&](const CoreProgram& c) { return c.name == *name; });
  for (Search& search : searches_) {
    if (std::find(given_up->needed_by.begin(), given_up->needed_by.end(), search.purpose) ==
        given_up->needed_by.end()) {
      continue;
    }
    for (Candidate& candidate : search.candidates) {
      candidate.reason = candidate.reason.empty() ? why : candidate.reason;
    }
  }
  core_.erase(name);
  return true;
}

bool LadderSearch::is_served(Purpose purpose) const {
  return std::any_of(searches_.begin(), searches_.end(), [&](const Search& search) {
    return search.purpose == purpose && next(search) != nullptr;
  });
}

OtherLooks LadderSearch::other_looks(std::string_view failure) const {
  if (!failure.empty()) {
    return {};
  }
  return {.timer = is_served(Purpose::kSweepTimer) ? SweepTimer::kRuns : SweepTimer::kNone,
          .pages = is_served(Purpose::kPerPageCharge) ? PageHook::kRuns : PageHook::kNone};
}

std::string LadderSearch::lost(const Search& search, const AttachRow* chosen, OtherLooks others) {
  if (search.by_default) {
    return "";
  }
  if (chosen != nullptr) {
    return is_first_row(*chosen) ? "" : std::string(lost_with(*chosen, others));
  }
  // Nothing is lost without what is optional.
  const bool unwanted = search.disabled && is_switched_off(search.purpose, {});
  return unwanted ? "" : std::string(lost_without(search.purpose, others));
}

std::vector<PurposeReport> LadderSearch::report(std::string_view failure) const {
  const OtherLooks others = other_looks(failure);
  std::vector<PurposeReport> reports;
  for (const Search& search : searches_) {
    PurposeReport& report = reports.emplace_back();
    report.purpose = search.purpose;
    report.disabled = search.disabled;
    report.by_default = search.by_default;
    const AttachRow* chosen = failure.empty() ? next(search) : nullptr;
    for (const Candidate& candidate : search.candidates) {
      report.rows.push_back(
          {.row = std::string(candidate.row->name),
           .hook = std::string(candidate.row->hook),
           .chosen = candidate.row == chosen,
           .reason = candidate.reason.empty() ? std::string(failure) : candidate.reason});
    }
    report.lost = lost(search, chosen, others);
  }
  return reports;
}

}  // namespace evictd::probe
