// SPDX-License-Identifier: Apache-2.0
// Passes failures on, without a branch written out at each call. For functions that return a
// Result<T>, or a tl::expected<T, E> of the same E.
#pragma once

#include <tl/expected.hpp>
#include <utility>

#include "evictd/result.h"

// NOLINTBEGIN(cppcoreguidelines-macro-usage): no function can return from its caller.

/// EVICTD_TRY(write(path, text)); returns the failure of the call if it failed, else drops its
/// value.
#define EVICTD_TRY(...)                                       \
  do {                                                        \
    if (auto evictd_tried = (__VA_ARGS__); !evictd_tried) {   \
      return tl::unexpected(std::move(evictd_tried).error()); \
    }                                                         \
  } while (false)

/// EVICTD_ASSIGN_OR_RETURN(const std::string text, read(path)); declares `text` with the value of
/// the call, or returns its failure. An expression in place of the declaration is assigned to.
/// `declaration` must not contain a comma: use auto for std::map<K, V>. The variable is the value
/// itself: move from it, do not dereference it.
#define EVICTD_ASSIGN_OR_RETURN(declaration, ...) \
  EVICTD_ASSIGN_FROM_(EVICTD_NUMBERED_(evictd_assigned_, __LINE__), declaration, __VA_ARGS__)

/// EVICTD_IN("load config", read(path)) is what the call returns; a failure gets the layer in front
/// of its context. The text of the layer is made only then. For a return and for the macros above.
#define EVICTD_IN(layer, ...) \
  (__VA_ARGS__).map_error([&](const ::evictd::Error& inner) { return inner.in(layer); })

#define EVICTD_ASSIGN_FROM_(result, declaration, ...) \
  auto result = (__VA_ARGS__);                        \
  if (!(result)) {                                    \
    return tl::unexpected(std::move(result).error()); \
  }                                                   \
  declaration = *std::move(result) /* NOLINT(bugprone-macro-parentheses) */

#define EVICTD_NUMBERED_(name, number) EVICTD_JOINED_(name, number)
#define EVICTD_JOINED_(name, number) name##number

// NOLINTEND(cppcoreguidelines-macro-usage)
