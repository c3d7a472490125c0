// SPDX-License-Identifier: Apache-2.0
#include "eviction/signal.h"

namespace evictd::eviction {

std::string_view to_string(Signal signal) {
  switch (signal) {
    case Signal::kAllocatableMemoryAvailable:
      return "allocatableMemory.available";
    case Signal::kMemoryAvailable:
      return "memory.available";
    case Signal::kPidAvailable:
      return "pid.available";
    case Signal::kContainerFsAvailable:
      return "containerfs.available";
    case Signal::kContainerFsInodesFree:
      return "containerfs.inodesFree";
    case Signal::kImageFsAvailable:
      return "imagefs.available";
    case Signal::kImageFsInodesFree:
      return "imagefs.inodesFree";
    case Signal::kNodeFsAvailable:
      return "nodefs.available";
    case Signal::kNodeFsInodesFree:
      return "nodefs.inodesFree";
    case Signal::kUnknown:
      return "unknown";
  }
  return "";
}

std::string_view to_string(Resource resource) {
  switch (resource) {
    case Resource::kMemory:
      return "memory";
    case Resource::kEphemeralStorage:
      return "ephemeral-storage";
    case Resource::kInodes:
      return "inodes";
    case Resource::kPids:
      return "pids";
    case Resource::kNone:
      return "";
  }
  return "";
}

std::string_view to_string(Condition condition) {
  switch (condition) {
    case Condition::kDiskPressure:
      return "DiskPressure";
    case Condition::kMemoryPressure:
      return "MemoryPressure";
    case Condition::kPidPressure:
      return "PIDPressure";
  }
  return "";
}

Signal signal_from_text(std::string_view text, Compat compat) {
  for (const Signal signal : kSignals) {
    const bool is_containerfs =
        signal == Signal::kContainerFsAvailable || signal == Signal::kContainerFsInodesFree;
    if (to_string(signal) == text && (compat != Compat::k1_26 || !is_containerfs)) {
      return signal;
    }
  }
  return Signal::kUnknown;
}

Resource resource_of(Signal signal) {
  switch (signal) {
    case Signal::kAllocatableMemoryAvailable:
    case Signal::kMemoryAvailable:
      return Resource::kMemory;
    case Signal::kPidAvailable:
      return Resource::kPids;
    case Signal::kContainerFsAvailable:
    case Signal::kImageFsAvailable:
    case Signal::kNodeFsAvailable:
      return Resource::kEphemeralStorage;
    case Signal::kContainerFsInodesFree:
    case Signal::kImageFsInodesFree:
    case Signal::kNodeFsInodesFree:
      return Resource::kInodes;
    case Signal::kUnknown:
      return Resource::kNone;
  }
  return Resource::kNone;
}

Condition condition_of(Signal signal) {
  switch (resource_of(signal)) {
    case Resource::kMemory:
      return Condition::kMemoryPressure;
    case Resource::kPids:
      return Condition::kPidPressure;
    case Resource::kEphemeralStorage:
    case Resource::kInodes:
    case Resource::kNone:
      return Condition::kDiskPressure;
  }
  return Condition::kDiskPressure;
}

QuantityFormat format_of(Signal signal) {
  switch (resource_of(signal)) {
    case Resource::kMemory:
    case Resource::kEphemeralStorage:
      return QuantityFormat::kBinarySI;
    case Resource::kInodes:
    case Resource::kPids:
    case Resource::kNone:
      return QuantityFormat::kDecimalSI;
  }
  return QuantityFormat::kDecimalSI;
}

}  // namespace evictd::eviction
