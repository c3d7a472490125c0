// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "core/clock.h"
#include "cri/reclaim.h"
#include "evictd/result.h"
#include "evictd/time.h"
#include "kube/kube_config.h"

namespace evictd::kube {

/// `evictd-kube reclaim containers`: removes dead containers and sandboxes from the configured
/// runtime. Errors: kInvalid without a runtime; those of cri::reclaim_containers().
[[nodiscard]] Result<cri::Reclaimed> reclaim_containers(const KubeSettings& settings,
                                                        const core::Clock& clock);

/// `evictd-kube reclaim images`: removes unused images. Asks the running evictd-kube for their
/// ages. Errors: kInvalid without a runtime; those of cri::reclaim_images(); as
/// base::request_line() if no evictd-kube is running.
[[nodiscard]] Result<cri::Reclaimed> reclaim_images(const KubeSettings& settings,
                                                    const core::Clock& clock);

/// Whether a pod is gone: a recently confirmed directory of manifests has none for this uid. Always
/// false for a static pod, because the API server may know only its mirror pod.
[[nodiscard]] cri::IsGone gone_by_manifests(const std::string& directory, WallTime now);

/// One line for people.
[[nodiscard]] std::string to_text(const cri::Reclaimed& sum);

}  // namespace evictd::kube
