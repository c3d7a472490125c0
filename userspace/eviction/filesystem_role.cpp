// SPDX-License-Identifier: Apache-2.0
#include "eviction/filesystem_role.h"

namespace evictd::eviction {

std::string_view to_string(FilesystemRole role) {
  switch (role) {
    case FilesystemRole::kNodeFs:
      return "nodefs";
    case FilesystemRole::kImageFs:
      return "imagefs";
    case FilesystemRole::kContainerFs:
      return "containerfs";
  }
  return "";
}

std::optional<FilesystemRole> role_of(Signal signal) {
  switch (signal) {
    case Signal::kNodeFsAvailable:
    case Signal::kNodeFsInodesFree:
      return FilesystemRole::kNodeFs;
    case Signal::kImageFsAvailable:
    case Signal::kImageFsInodesFree:
      return FilesystemRole::kImageFs;
    case Signal::kContainerFsAvailable:
    case Signal::kContainerFsInodesFree:
      return FilesystemRole::kContainerFs;
    case Signal::kAllocatableMemoryAvailable:
    case Signal::kMemoryAvailable:
    case Signal::kPidAvailable:
    case Signal::kUnknown:
      return std::nullopt;
  }
  return std::nullopt;
}

bool counts_inodes(Signal signal) {
  return resource_of(signal) == Resource::kInodes;
}

}  // namespace evictd::eviction
