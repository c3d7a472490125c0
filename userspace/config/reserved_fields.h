// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>

#include "config/value.h"

namespace evictd::config {

/// Reads the kubelet's systemReserved or kubeReserved: cpu, memory, ephemeral-storage and pid, each
/// with a quantity that is not negative.
[[nodiscard]] Result<std::map<std::string, std::string>> read_reserved(const Value& value);

}  // namespace evictd::config
