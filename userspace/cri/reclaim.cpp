// SPDX-License-Identifier: Apache-2.0
#include "cri/reclaim.h"

#include <set>
#include <string>
#include <utility>
#include <vector>

#include "evictd/try.h"

namespace evictd::cri {

namespace {

/// An object that something else removed meanwhile counts as removed.
bool count(const Result<>& removed, std::uint64_t& counter, Reclaimed& sum) {
  if (!removed && removed.error().code != Errc::kNotFound) {
    sum.failures += 1;
    if (sum.first_failure.empty()) {
      sum.first_failure = removed.error().message();
    }
    return false;
  }
  ++counter;
  return true;
}

/// Whether enough space is free.
Result<bool> is_enough(const ImageQuestion& question, const std::string& place,
                       std::int64_t wanted_bytes, const Reclaimed& sum) {
  EVICTD_ASSIGN_OR_RETURN(const Space space, question.read_space(place));
  const bool has_bytes = missing_bytes(space, question.policy) == 0 ||
                         static_cast<std::int64_t>(sum.image_bytes) >= wanted_bytes;
  return has_bytes && missing_inodes(space, question.policy) == 0;
}

Result<ImageUse> image_use(RuntimeClient& runtime) {
  EVICTD_ASSIGN_OR_RETURN(std::vector<Container> containers, runtime.list_containers());
  EVICTD_ASSIGN_OR_RETURN(std::string sandbox_image, runtime.sandbox_image());
  return ImageUse{.containers = std::move(containers), .sandbox_image = std::move(sandbox_image)};
}

/// A pod with a ready sandbox is alive, regardless of its manifest: a kubelet that misses finished
/// containers runs the pod again.
Result<IsGone> gone_without_sandbox(RuntimeClient& runtime, const IsGone& is_gone) {
  EVICTD_ASSIGN_OR_RETURN(const std::vector<Sandbox> sandboxes, runtime.list_sandboxes());
  std::set<std::string> ready;
  for (const Sandbox& sandbox : sandboxes) {
    if (sandbox.state == SandboxState::kReady) {
      ready.insert(sandbox.pod_uid);
    }
  }
  return IsGone([ready = std::move(ready), is_gone](const std::string& uid) {
    return !ready.contains(uid) && is_gone(uid);
  });
}

}  // namespace

Result<Reclaimed> reclaim_containers(RuntimeClient& runtime, const ContainerPolicy& policy,
                                     const IsGone& is_gone, WallTime now) {
  EVICTD_ASSIGN_OR_RETURN(const std::vector<Container> containers, runtime.list_containers());
  EVICTD_ASSIGN_OR_RETURN(const IsGone gone, gone_without_sandbox(runtime, is_gone));
  Reclaimed sum;
  for (const std::string& id : choose_dead_containers(containers, policy, gone, now)) {
    count(runtime.remove_container(id), sum.containers, sum);
  }
  // Sandboxes first: a container of a sandbox created meanwhile is then in the second list.
  const Result<std::vector<Sandbox>> sandboxes = runtime.list_sandboxes();
  EVICTD_ASSIGN_OR_RETURN(const std::vector<Container> left,
                          sandboxes ? runtime.list_containers()
                                    : Result<std::vector<Container>>(Failure(sandboxes.error())));
  for (const std::string& id : choose_dead_sandboxes(*sandboxes, left, gone)) {
    count(runtime.remove_sandbox(id), sum.sandboxes, sum);
  }
  return sum;
}

Result<Reclaimed> reclaim_images(RuntimeClient& runtime, const ImageQuestion& question) {
  EVICTD_ASSIGN_OR_RETURN(const RuntimePlaces places, runtime.places());
  EVICTD_ASSIGN_OR_RETURN(const Space before, question.read_space(places.images));
  const std::int64_t wanted = missing_bytes(before, question.policy);
  const Result<std::vector<Image>> images = runtime.list_images();
  // After the images: an image that a container took meanwhile counts as used.
  EVICTD_ASSIGN_OR_RETURN(const ImageUse use,
                          images ? image_use(runtime) : Result<ImageUse>(Failure(images.error())));
  Reclaimed sum;
  for (const Image& image :
       choose_unused_images(*images, use, question.idleness, question.policy)) {
    EVICTD_ASSIGN_OR_RETURN(const bool enough, is_enough(question, places.images, wanted, sum));
    if (enough) {
      break;
    }
    if (count(runtime.remove_image(image.id), sum.images, sum)) {
      sum.image_bytes += image.bytes;
    }
  }
  return sum;
}

}  // namespace evictd::cri
