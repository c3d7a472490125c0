// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

namespace evictd::core {

/// How many single-character edits (insert, delete, replace, swap two neighbours) turn `a` into
/// `b`, not minding the case of ASCII letters. Cost: |a| * |b|, each cut to 64 characters.
[[nodiscard]] std::size_t edit_distance(std::string_view a, std::string_view b);

/// The shortest name of `known` of which `name` is the beginning, three letters at least; else that
/// with the smallest distance to it. The first one if there are several; empty if `known` is.
[[nodiscard]] std::string nearest_name(std::string_view name, std::span<const std::string> known);

}  // namespace evictd::core
