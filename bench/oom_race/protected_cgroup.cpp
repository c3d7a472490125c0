// SPDX-License-Identifier: Apache-2.0
#include "oom_race/protected_cgroup.h"

#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

#include "evictd/try.h"
#include "stage/text_file.h"

namespace evictd::bench {

std::optional<Protection> protection_of(Racer racer) {
  switch (racer) {
    case Racer::kOomd:
      return Protection{Bytes{0}, 64_MiB};
    case Racer::kSystemdOomd:
      return Protection{64_MiB, 64_MiB};
    case Racer::kEvictd:
    case Racer::kEvictdGrace:
    case Racer::kEvictdBridge:
    case Racer::kEvictdPoll:
    case Racer::kEvictdKubelet:
    case Racer::kEvictdKubeletGrace:
    case Racer::kEarlyoom:
    case Racer::kNohang:
      break;
  }
  return std::nullopt;
}

ProtectedCgroup::ProtectedCgroup(std::filesystem::path directory)
    : directory_(std::move(directory)) {}

ProtectedCgroup::ProtectedCgroup(ProtectedCgroup&& other) noexcept
    : directory_(std::exchange(other.directory_, {})) {}

ProtectedCgroup::~ProtectedCgroup() {
  if (!directory_.empty()) {
    ::rmdir(directory_.c_str());
  }
}

Result<ProtectedCgroup> ProtectedCgroup::create(std::filesystem::path directory,
                                                const Protection& protection) {
  if (::mkdir(directory.c_str(), 0755) != 0) {
    return fail_errno(errno, "make " + directory.string());
  }
  ProtectedCgroup made{std::move(directory)};
  for (const auto& [file, amount] :
       {std::pair{"memory.min", protection.min}, std::pair{"memory.low", protection.low}}) {
    EVICTD_TRY(stage::write_kernel_file(made.directory_ / file, std::to_string(amount.value)));
  }
  return made;
}

std::vector<std::string> entering(const std::filesystem::path& processes,
                                  const std::vector<std::string>& command) {
  std::vector<std::string> line{"/bin/sh", "-c", R"(echo 0 >"$0" && exec "$@")", processes};
  line.insert(line.end(), command.begin(), command.end());
  return line;
}

}  // namespace evictd::bench
