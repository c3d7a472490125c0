// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace evictd::kube {

/// Whether an address may have this namespace or name of an object in it: 1 to 253 of "a-z0-9.-",
/// and neither begins nor ends with other than a letter or a digit.
[[nodiscard]] bool is_object_name(std::string_view name);

/// "NAME.18e9dffa0a1957f3": of an event about the object NAME that happened so many nanoseconds
/// after 1970, as a kubelet's recorder calls it. The object's name is cut where that is too long.
[[nodiscard]] std::string event_name(std::string_view object, std::uint64_t nanoseconds);

}  // namespace evictd::kube
