// SPDX-License-Identifier: Apache-2.0
#include "daemon/control/status_manifests.h"

#include <sys/stat.h>

#include <algorithm>
#include <chrono>
#include <nlohmann/json.hpp>

#include "daemon/records/duration_numbers.h"

namespace evictd::daemon {

namespace {

using Json = nlohmann::ordered_json;

Json confirmed_ms_ago(const std::string& directory, WallTime now) {
  struct stat file {};
  if (::lstat((directory + "/" + kConfirmedFile).c_str(), &file) != 0 || !S_ISREG(file.st_mode) ||
      file.st_mtim.tv_sec == 0) {
    return nullptr;
  }
  const WallTime at{std::chrono::seconds(file.st_mtim.tv_sec) +
                    std::chrono::nanoseconds(file.st_mtim.tv_nsec)};
  // A wall clock that was set back must not give a negative age.
  return std::max<std::int64_t>(0, to_ms(now - at));
}

}  // namespace

Json manifests_json(const std::vector<std::string>& directories, WallTime now) {
  Json all = Json::array();
  for (const std::string& directory : directories) {
    all.push_back(
        {{"directory", directory}, {"confirmed_ms_ago", confirmed_ms_ago(directory, now)}});
  }
  return all;
}

}  // namespace evictd::daemon
