// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace evictd::cluster {

/// How a file of manifests is written.
enum class DocumentFormat { kYaml, kJson };

}  // namespace evictd::cluster
