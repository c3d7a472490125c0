// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <string>

namespace evictd::kube {

/// A member of an object from an untrusted source; empty or 0 if it is missing or of another type.
[[nodiscard]] std::string text_at(const nlohmann::json& object, const char* name);
[[nodiscard]] std::uint64_t number_at(const nlohmann::json& object, const char* name);

}  // namespace evictd::kube
