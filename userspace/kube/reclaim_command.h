// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "core/clock.h"
#include "cri/reclaim.h"
#include "evictd/result.h"
#include "evictd/time.h"
#include "kube/kube_config.h"

namespace evictd::kube {

/// `evictd-kube reclaim containers`: removes dead containers and sandboxes from the runtime of the
/// configuration. Errors: kInvalid without a runtime; those of cri::reclaim_containers().
[[nodiscard]] Result<cri::Reclaimed> reclaim_containers(const KubeSettings& settings,
                                                        const core::Clock& clock);

/// `evictd-kube reclaim images`: removes unused images. How old they are is asked of the
/// evictd-kube that runs. Errors: kInvalid without a runtime; those of cri::reclaim_images();
/// without an evictd-kube that runs as base::request_line().
[[nodiscard]] Result<cri::Reclaimed> reclaim_images(const KubeSettings& settings,
                                                    const core::Clock& clock);

/// Whether a pod is gone by a directory of manifests that was confirmed lately: there is no
/// manifest of this uid. Never a static pod, of which the API server may know only the mirror.
[[nodiscard]] cri::IsGone gone_by_manifests(const std::string& directory, WallTime now);

/// One line for people.
[[nodiscard]] std::string to_text(const cri::Reclaimed& sum);

}  // namespace evictd::kube
