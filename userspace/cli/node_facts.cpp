// SPDX-License-Identifier: Apache-2.0
#include "cli/node_facts.h"

#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <nlohmann/json.hpp>
#include <utility>
#include <vector>

#include "base/json_members.h"
#include "base/json_text.h"
#include "base/regular_file.h"
#include "base/unix_socket.h"
#include "cluster/cgroup_tree.h"
#include "cluster/configured_places.h"
#include "config/written_files.h"
#include "evictd/try.h"
#include "eviction/quantity.h"
#include "sys/cgroup_layout.h"
#include "sys/kernel_text.h"
#include "sys/root.h"

namespace evictd::cli {
namespace {

using base::member_at;

/// A running daemon answers at once.
constexpr Duration kAskTimeout = std::chrono::seconds(2);

struct Filesystem {
  dev_t device{};
  std::int64_t bytes = 0;
  /// Unset if the number is not fixed.
  std::optional<std::int64_t> inodes;
};

std::optional<Filesystem> filesystem_at(const std::string& path) {
  struct statvfs answer {};
  struct stat place {};
  if (path.empty() || ::statvfs(path.c_str(), &answer) != 0 || ::stat(path.c_str(), &place) != 0) {
    return std::nullopt;
  }
  return Filesystem{.device = place.st_dev,
                    .bytes = static_cast<std::int64_t>(answer.f_blocks * answer.f_frsize),
                    .inodes = answer.f_files == 0
                                  ? std::nullopt
                                  : std::optional(static_cast<std::int64_t>(answer.f_files))};
}

std::optional<Filesystem> first_of(const std::vector<std::string>& paths) {
  for (const std::string& path : paths) {
    if (std::optional<Filesystem> found = filesystem_at(path)) {
      return found;
    }
  }
  return std::nullopt;
}

/// Whether nodefs and imagefs are known to be one filesystem.
bool add_storage_facts(const config::StorageSettings& storage, config::NodeFacts& facts) {
  const std::optional<Filesystem> nodefs =
      first_of({storage.node_fs_path, storage.kubelet_root_directory, "/"});
  std::optional<Filesystem> imagefs = storage.image_fs_path.empty()
                                          ? first_of(storage.container_runtime_roots)
                                          : filesystem_at(storage.image_fs_path);
  if (!imagefs && storage.image_fs_path.empty()) {
    imagefs = nodefs;  // as the daemon has it
  }
  if (nodefs) {
    facts.ephemeral_storage_bytes = nodefs->bytes;
    facts.nodefs_inodes = nodefs->inodes;
  }
  if (imagefs) {
    facts.imagefs_bytes = imagefs->bytes;
    facts.imagefs_inodes = imagefs->inodes;
  }
  return nodefs && imagefs && nodefs->device == imagefs->device;
}

/// The smaller of the kernel's two task limits, as the kubelet computes it.
std::optional<std::int64_t> most_tasks() {
  const Result<sys::Root> root = sys::Root::open();
  if (!root) {
    return std::nullopt;
  }
  const auto number_in = [&](const char* path) {
    return sys::parse_single_number(root->read(path).value_or(std::string()));
  };
  const std::optional<std::int64_t> pids = number_in("/proc/sys/kernel/pid_max");
  const std::optional<std::int64_t> threads = number_in("/proc/sys/kernel/threads-max");
  return pids && threads ? std::optional(std::min(*pids, *threads)) : std::nullopt;
}

/// The sum over all growing pods.
std::optional<std::int64_t> ask_for_rate(const std::string& socket) {
  const Result<std::string> answer =
      base::request_line(socket, nlohmann::json{{"op", "status"}}.dump(), {.timeout = kAskTimeout});
  const auto status = base::parse_json<nlohmann::json>(answer.value_or("")).value_or(nullptr);
  const nlohmann::json& pods = member_at(status, "pods");
  if (!pods.is_array()) {
    return std::nullopt;
  }
  std::int64_t sum = 0;
  for (const nlohmann::json& pod : pods) {
    const nlohmann::json& rate = member_at(pod, "rate_bytes_per_second");
    if (rate.is_number() && rate.get<double>() > 0) {
      sum += rate.get<std::int64_t>();
    }
  }
  return sum;
}

Result<std::int64_t> positive_amount(const std::string& text) {
  const Result<eviction::Quantity> quantity = eviction::Quantity::parse(text);
  if (!quantity || quantity->sign() <= 0) {
    return fail(Errc::kInvalid,
                "\"" + text + "\": not a quantity; allowed: a quantity above 0, such as 64Mi");
  }
  return quantity->value();
}

Result<> override_fact(const std::string& option, const std::optional<std::string>& text,
                       std::optional<std::int64_t>& fact) {
  if (!text) {
    return {};
  }
  EVICTD_ASSIGN_OR_RETURN(fact, EVICTD_IN(option, positive_amount(*text)));
  return {};
}

/// Configured output files that exist but are not regular. Skips sockets.
std::vector<std::string> irregular_files(const config::Settings& settings) {
  std::vector<std::string> found;
  for (const config::WrittenFile& file : config::written_files(settings)) {
    const bool is_socket = file.key == "controlSocket" || file.key == "notifySocket";
    if (!is_socket && base::is_no_regular_file(file.path)) {
      found.push_back(file.path);
    }
  }
  return found;
}

/// A path that this user may not inspect does not count as missing.
std::vector<std::string> missing_paths(const config::Settings& settings) {
  const config::StorageSettings& storage = settings.storage;
  std::vector<std::string> paths{storage.node_fs_path, storage.image_fs_path,
                                 storage.container_fs_path};
  for (const auto* more : {&settings.manifest_directories, &settings.static_manifest_directories}) {
    paths.insert(paths.end(), more->begin(), more->end());
  }
  std::vector<std::string> missing;
  for (const std::string& path : paths) {
    struct stat place {};
    if (!path.empty() && ::stat(path.c_str(), &place) != 0 &&
        (errno == ENOENT || errno == ENOTDIR)) {
      missing.push_back(path);
    }
  }
  return missing;
}

/// The cgroup state that evictd would find at its start.
void add_cgroup_facts(const config::Settings& settings, config::NodeFacts& facts) {
  const Result<sys::Root> root = sys::Root::open();
  if (!root) {
    return;
  }
  Result<sys::CgroupLayout> layout = sys::CgroupLayout::detect(*root);
  if (!layout) {
    facts.missing_controller = layout.error().message();
    return;
  }
  if (layout->memory().version == sys::CgroupVersion::kV1) {
    facts.missing_memory_high = "the memory controller is on cgroup v1, which has no memory.high";
  }
  Result<cluster::CgroupTree> tree =
      cluster::CgroupTree::create(*root, std::move(*layout), cluster::place_options(settings));
  // There may be nothing but globs.
  if (tree && settings.pod_globs.empty() && tree->look_for_root().empty()) {
    facts.missing_pod_root = cluster::no_pod_root(*tree, settings).message();
  }
}

}  // namespace

std::string amount_problem(const std::string& text) {
  const Result<std::int64_t> amount = positive_amount(text);
  return amount ? std::string() : amount.error().message();
}

Result<config::NodeFacts> look_at_node(const NodeFactOptions& options,
                                       const config::Config& config) {
  config::NodeFacts facts;
  const std::int64_t pages = ::sysconf(_SC_PHYS_PAGES);
  const std::int64_t page_bytes = ::sysconf(_SC_PAGESIZE);
  if (pages > 0 && page_bytes > 0) {
    facts.memory_bytes = pages * page_bytes;
  }
  const bool one_filesystem = add_storage_facts(config->storage, facts);
  if (config->pid_available_source == config::PidAvailableSource::kNode) {
    facts.max_pids = most_tasks();
  }
  facts.irregular_files = irregular_files(config.settings());
  facts.missing_paths = missing_paths(config.settings());
  add_cgroup_facts(config.settings(), facts);
  if (!options.pod_rate) {
    facts.pod_rate_bytes_per_second = ask_for_rate(config->control_socket_path());
  }
  const Result<> overridden =
      override_fact("--memory-capacity", options.memory_capacity, facts.memory_bytes)
          .and_then([&] {
            return override_fact("--storage-capacity", options.storage_capacity,
                                 facts.ephemeral_storage_bytes);
          })
          .and_then([&] {
            return override_fact("--pod-rate", options.pod_rate, facts.pod_rate_bytes_per_second);
          });
  if (one_filesystem) {
    facts.imagefs_bytes = facts.ephemeral_storage_bytes;
  }
  return overridden ? Result<config::NodeFacts>(facts)
                    : Result<config::NodeFacts>(tl::unexpected(overridden.error()));
}

}  // namespace evictd::cli
