// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

namespace evictd::config {

/// How many single-character edits (insert, delete, replace, swap two neighbours) turn `a` into
/// `b`, not minding the case of ASCII letters. Cost: |a| * |b|, each cut to 64 characters.
[[nodiscard]] std::size_t edit_distance(std::string_view a, std::string_view b);

/// The name of `known` with the smallest distance to `name`, the first one if several have it;
/// empty if `known` is.
[[nodiscard]] std::string nearest_name(std::string_view name, std::span<const std::string> known);

}  // namespace evictd::config
