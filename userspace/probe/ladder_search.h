// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "evictd/result.h"
#include "probe/attach_table.h"
#include "probe/options.h"

namespace evictd::probe {

/// The row of each purpose to try next, and why earlier rows failed. Pure: uses the table and the
/// options, not libbpf.
class LadderSearch {
 public:
  /// Errors: kInvalid: a pin names no row of its purpose.
  [[nodiscard]] static Result<LadderSearch> create(const Options& options);

  /// Rows to load and attach now, at most one per purpose.
  [[nodiscard]] std::vector<const AttachRow*> current() const;
  /// The current row with `program`; nullptr if there is none.
  [[nodiscard]] const AttachRow* row_of(std::string_view program) const;
  /// Gives up `row` (one of current()) for `reason`; the next row of its purpose replaces it.
  void reject(const AttachRow& row, std::string reason);
  /// Gives up every remaining row of this name, in all purposes.
  void reject_all(std::string_view name, const std::string& reason);
  /// Whether to load this program now: it belongs to a current row, or to the remaining
  /// core_programs().
  [[nodiscard]] bool wants(std::string_view program) const;
  /// Gives up one of the wanted core_programs(), and every row of the purposes that need it. False:
  /// `program` is not one of them.
  bool reject_core(std::string_view program, const std::string& reason);
  /// One report per purpose, in the table's order. `failure` as Ladder::failure. If it is not
  /// empty, no row is chosen, and it is the reason of every row without another.
  [[nodiscard]] std::vector<PurposeReport> report(std::string_view failure) const;

 private:
  struct Candidate {
    const AttachRow* row;
    /// Empty until the row is given up.
    std::string reason;
  };
  struct Search {
    Purpose purpose{};
    std::vector<Candidate> candidates;
    bool disabled = false;
    bool by_default = false;
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
