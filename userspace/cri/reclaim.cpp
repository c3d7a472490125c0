// SPDX-License-Identifier: Apache-2.0
#include "cri/reclaim.h"

#include <set>
#include <string>
#include <utility>
#include <vector>

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
  const Result<Space> space = question.read_space(place);
  if (!space) {
    return Failure(space.error());
  }
  const bool has_bytes = missing_bytes(*space, question.policy) == 0 ||
                         static_cast<std::int64_t>(sum.image_bytes) >= wanted_bytes;
  return has_bytes && missing_inodes(*space, question.policy) == 0;
}

Result<ImageUse> image_use(RuntimeClient& runtime) {
  Result<std::vector<Container>> containers = runtime.list_containers();
  if (!containers) {
    return Failure(containers.error());
  }
  Result<std::string> sandbox_image = runtime.sandbox_image();
  if (!sandbox_image) {
    return Failure(sandbox_image.error());
  }
  return ImageUse{.containers = std::move(*containers), .sandbox_image = std::move(*sandbox_image)};
}

/// A pod with a ready sandbox is alive, regardless of its manifest: a kubelet that misses finished
/// containers runs the pod again.
Result<IsGone> gone_without_sandbox(RuntimeClient& runtime, const IsGone& is_gone) {
  const Result<std::vector<Sandbox>> sandboxes = runtime.list_sandboxes();
  if (!sandboxes) {
    return Failure(sandboxes.error());
  }
  std::set<std::string> ready;
  for (const Sandbox& sandbox : *sandboxes) {
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
  const Result<std::vector<Container>> containers = runtime.list_containers();
  if (!containers) {
    return Failure(containers.error());
  }
  const Result<IsGone> gone = gone_without_sandbox(runtime, is_gone);
  if (!gone) {
    return Failure(gone.error());
  }
  Reclaimed sum;
  for (const std::string& id : choose_dead_containers(*containers, policy, *gone, now)) {
    count(runtime.remove_container(id), sum.containers, sum);
  }
  // Sandboxes first: a container of a sandbox created meanwhile is then in the second list.
  const Result<std::vector<Sandbox>> sandboxes = runtime.list_sandboxes();
  const Result<std::vector<Container>> left =
      sandboxes ? runtime.list_containers()
                : Result<std::vector<Container>>(Failure(sandboxes.error()));
  if (!left) {
    return Failure(left.error());
  }
  for (const std::string& id : choose_dead_sandboxes(*sandboxes, *left, *gone)) {
    count(runtime.remove_sandbox(id), sum.sandboxes, sum);
  }
  return sum;
}

Result<Reclaimed> reclaim_images(RuntimeClient& runtime, const ImageQuestion& question) {
  const Result<RuntimePlaces> places = runtime.places();
  if (!places) {
    return Failure(places.error());
  }
  const Result<Space> before = question.read_space(places->images);
  if (!before) {
    return Failure(before.error());
  }
  const std::int64_t wanted = missing_bytes(*before, question.policy);
  const Result<std::vector<Image>> images = runtime.list_images();
  // After the images: an image that a container took meanwhile counts as used.
  const Result<ImageUse> use =
      images ? image_use(runtime) : Result<ImageUse>(Failure(images.error()));
  if (!use) {
    return Failure(use.error());
  }
  Reclaimed sum;
  for (const Image& image :
       choose_unused_images(*images, *use, question.idleness, question.policy)) {
    const Result<bool> enough = is_enough(question, places->images, wanted, sum);
    if (!enough) {
      return Failure(enough.error());
    }
    if (*enough) {
      break;
    }
    if (count(runtime.remove_image(image.id), sum.images, sum)) {
      sum.image_bytes += image.bytes;
    }
  }
  return sum;
}

}  // namespace evictd::cri
