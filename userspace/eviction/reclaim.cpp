// SPDX-License-Identifier: Apache-2.0
#include "eviction/reclaim.h"

namespace evictd::eviction {
namespace {

CollectorList of(Collector first) {
  return {{first}, 1};
}
CollectorList both() {
  return {{Collector::kContainers, Collector::kImages}, 2};
}

}  // namespace

std::string_view to_string(Collector collector) {
  switch (collector) {
    case Collector::kContainers:
      return "containers";
    case Collector::kImages:
      return "images";
  }
  return "";
}

CollectorList collectors_for(Signal signal, DiskLayout layout) {
  switch (signal) {
    case Signal::kNodeFsAvailable:
    case Signal::kNodeFsInodesFree:
      if (!layout.dedicated_image_fs) {
        return both();
      }
      // Writable layers that live on nodefs are freed by removing containers; images are not there.
      return layout.split_container_fs ? of(Collector::kContainers) : CollectorList{};
    case Signal::kImageFsAvailable:
    case Signal::kImageFsInodesFree:
      return layout.dedicated_image_fs && layout.split_container_fs ? of(Collector::kImages)
                                                                    : both();
    case Signal::kContainerFsAvailable:
    case Signal::kContainerFsInodesFree:
      return layout.dedicated_image_fs && layout.split_container_fs ? of(Collector::kContainers)
                                                                    : both();
    case Signal::kAllocatableMemoryAvailable:
    case Signal::kMemoryAvailable:
    case Signal::kPidAvailable:
    case Signal::kUnknown:
      return {};
  }
  return {};
}

}  // namespace evictd::eviction
