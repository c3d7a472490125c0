// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "evictd/result.h"
#include "probe/attach_table.h"
#include "probe/options.h"

namespace evictd::probe {

/// Which row of each purpose to try next, and why the earlier ones failed. Pure: knows the table
/// and the options, not libbpf.
class LadderSearch {
 public:
  /// kInvalid: a pin names no row of its purpose.
  [[nodiscard]] static Result<LadderSearch> create(const Options& options);

  /// Rows to load and attach now, at most one a purpose.
  [[nodiscard]] std::vector<const AttachRow*> current() const;
  /// The current row that has `program`, nullptr if none has.
  [[nodiscard]] const AttachRow* row_of(std::string_view program) const;
  /// Gives up `row` (one of current()) for `reason`; the next of its purpose takes its place.
  void reject(const AttachRow& row, std::string reason);
  /// Gives up every row of this name that has not been given up, in all purposes.
  void reject_all(std::string_view name, const std::string& reason);
  /// Whether this program is to be loaded now: that of a current row, or one of core_programs()
  /// that has not been given up.
  [[nodiscard]] bool wants(std::string_view program) const;
  /// Gives up one of core_programs() that was wanted, and with it every row of the purposes that
  /// need it. False: `program` is none of these.
  bool reject_core(std::string_view program, const std::string& reason);
  /// One report a purpose, in the table's order. `failure` as Ladder::failure, empty for none: with
  /// one no row is chosen, and it is the reason of each that has no other.
  [[nodiscard]] std::vector<PurposeReport> report(std::string_view failure) const;

 private:
  struct Candidate {
    const AttachRow* row;
    /// Empty while it has not been given up.
    std::string reason;
  };
  struct Search {
    Purpose purpose{};
    std::vector<Candidate> candidates;
    bool disabled = false;
  };

  [[nodiscard]] static std::vector<std::string_view> names_of_core();
  [[nodiscard]] static const AttachRow* next(const Search& search);
  [[nodiscard]] bool is_served(Purpose purpose) const;
  [[nodiscard]] OtherLooks other_looks(std::string_view failure) const;
  [[nodiscard]] static std::string lost(const Search& search, const AttachRow* chosen,
                                        OtherLooks others);

  std::vector<Search> searches_;
  std::vector<std::string_view> core_ = names_of_core();
};

}  // namespace evictd::probe
