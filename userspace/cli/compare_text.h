// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <iosfwd>
#include <string>
#include <string_view>
#include <vector>

#include "evictd/result.h"
#include "export/comparison.h"

namespace evictd::cli {

/// Parses evictd-kube's answer to {"op":"compare"}, or the lines of its file.
/// Errors: kInvalid with evictd-kube's refusal; those of comparison_from_json(), with `name` and
/// the line.
[[nodiscard]] Result<std::vector<exporting::Comparison>> read_comparison_answer(
    std::string_view answer);
[[nodiscard]] Result<std::vector<exporting::Comparison>> read_comparison_lines(
    std::string_view text, const std::string& name);

/// Prints a table and a summary.
void print_comparisons(const std::vector<exporting::Comparison>& comparisons, std::ostream& out);

}  // namespace evictd::cli
