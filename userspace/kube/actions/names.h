// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace evictd::kube {

/// Whether a URL may contain this namespace or object name: 1 to 253 characters of "a-z0-9.-", with
/// a letter or a digit at both ends.
[[nodiscard]] bool is_object_name(std::string_view name);

/// "NAME.18e9dffa0a1957f3": the name of an event about the object NAME, as a kubelet's recorder
/// builds it. `nanoseconds` is the event's time since 1970. Truncates an object name that is too
/// long.
[[nodiscard]] std::string event_name(std::string_view object, std::uint64_t nanoseconds);

}  // namespace evictd::kube
