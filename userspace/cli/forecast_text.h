// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

namespace evictd::cli {

/// When a threshold is met at the present rate, of an entry of the status' "signals": "reaches
/// 100Mi in 4.2 s, at 300.0Mi/s, because of shop/cart". Empty if that is not foreseen.
[[nodiscard]] std::string forecast_text(const nlohmann::ordered_json& signal);

}  // namespace evictd::cli
