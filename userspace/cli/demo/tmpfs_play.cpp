// SPDX-License-Identifier: Apache-2.0
// The scenario in which a pod's files in memory outlive it.
#include <fmt/format.h>
#include <poll.h>

#include <chrono>
#include <vector>

#include "base/system_clock.h"
#include "demo/play.h"
#include "evictd/try.h"
#include "stage/text_file.h"

namespace evictd::demo {
namespace {

/// How long the files stay. An evictor that takes a dead pod's memory for pressure by other pods
/// evicted the next pod within a millisecond, and the last one a second later.
constexpr std::chrono::seconds kKubeletTakes{3};

}  // namespace

Result<std::filesystem::path> Play::mount_volume(const std::filesystem::path& path) {
  EVICTD_ASSIGN_OR_RETURN(volume_, stage::MemoryFilesystem::create(path));
  return volume_->path();
}

void Play::watch_what_stays_charged() {
  const std::filesystem::path usage =
      tree_->hierarchies().memory / hog_->pod.pod / tree_->hierarchies().usage_file();
  const std::int64_t charged =
      stage::read_text(usage)
          .and_then([](const std::string& text) { return stage::parse_number(text); })
          .value_or(0);
  say_(fmt::format("{} MiB of its files are still charged to its cgroup", charged >> 20));
  std::vector<pollfd> watched{{signals_, POLLIN, 0}};
  for (const Actor& bystander : bystanders_) {
    watched.push_back({bystander.load.child().pidfd(), POLLIN, 0});
  }
  const auto timeout = std::chrono::milliseconds(kKubeletTakes).count();
  if (::poll(watched.data(), watched.size(), static_cast<int>(timeout)) == 0) {
    say_(fmt::format("{} s later no other pod has died; they are unmounted, as a kubelet would",
                     kKubeletTakes.count()));
  }
  volume_.reset();
}

}  // namespace evictd::demo
