// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace evictd::enforce {

/// Why a pod must never be signalled. The first one that applies is reported.
enum class Protection : std::uint8_t {
  kNone,
  kStatic,       ///< Comes from a static manifest.
  kMirror,       ///< The API's image of a static pod.
  kCritical,     ///< Priority of a system-critical class.
  kNeverEvict,   ///< neverEvict of the configuration matches it.
  kUnknown,      ///< No configured pod source knows it.
  kOutsideRoot,  ///< The directory was not opened below a pod root.
  kOwnProcess,   ///< evictd itself or pid 1 is in it.
};
inline constexpr std::size_t kProtectionCount = 8;

/// "static", "outside_root": for records and metrics.
[[nodiscard]] std::string_view to_string(Protection protection);

/// "static pod": for people. Short enough for std::string's in-place buffer, so that a refusal on
/// the hot thread allocates nothing.
[[nodiscard]] std::string_view reason_of(Protection protection);

}  // namespace evictd::enforce
