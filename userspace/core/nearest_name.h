// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

namespace evictd::core {

/// Single-character edits (insert, delete, replace, swap two neighbours) that turn `a` into `b`,
/// ignoring the case of ASCII letters. Cost: |a| * |b|, each cut to 64 characters.
[[nodiscard]] std::size_t edit_distance(std::string_view a, std::string_view b);

/// The shortest name in `known` that starts with `name`, if `name` has at least three letters; else
/// the name with the smallest edit distance. The first one on a tie; empty if `known` is empty.
[[nodiscard]] std::string nearest_name(std::string_view name, std::span<const std::string> known);

}  // namespace evictd::core
