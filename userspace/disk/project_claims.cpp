// SPDX-License-Identifier: Apache-2.0
#include "disk/project_claims.h"

#include <sys/stat.h>

#include <optional>

#include "disk/project_quota.h"

namespace evictd::disk {

namespace {

std::optional<std::uint64_t> device_of(int directory) {
  struct stat status {};
  if (::fstat(directory, &status) != 0) {
    return std::nullopt;
  }
  return status.st_dev;
}

}  // namespace

void ProjectClaims::add(const base::Fd& directory) {
  const std::optional<std::uint32_t> project =
      directory ? project_of(directory.get()) : std::nullopt;
  const std::optional<std::uint64_t> device = project ? device_of(directory.get()) : std::nullopt;
  if (device) {
    ++claims_[{*device, *project}];
  }
}

bool ProjectClaims::shared(int directory, std::uint32_t project) const {
  const std::optional<std::uint64_t> device = device_of(directory);
  const auto found = device ? claims_.find({*device, project}) : claims_.end();
  return found != claims_.end() && found->second > 1;
}

}  // namespace evictd::disk
