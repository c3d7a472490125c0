// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace evictd::cluster {

/// The syntax of a manifest file.
enum class DocumentFormat { kYaml, kJson };

}  // namespace evictd::cluster
