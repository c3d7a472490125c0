// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <iosfwd>
#include <string>
#include <string_view>
#include <vector>

#include "evictd/result.h"
#include "export/comparison.h"

namespace evictd::cli {

/// What evictd-kube answers to {"op":"compare"}, or the lines of its file.
/// Errors: what evictd-kube refuses, as kInvalid; those of comparison_from_json(), with `name` and
/// the line.
[[nodiscard]] Result<std::vector<exporting::Comparison>> read_comparison_answer(
    std::string_view answer);
[[nodiscard]] Result<std::vector<exporting::Comparison>> read_comparison_lines(
    std::string_view text, const std::string& name);

/// A table, and what it comes to.
void print_comparisons(const std::vector<exporting::Comparison>& comparisons, std::ostream& out);

}  // namespace evictd::cli
