// SPDX-License-Identifier: Apache-2.0
#include "cli/node_facts.h"

#include <sys/statvfs.h>
#include <unistd.h>

#include <nlohmann/json.hpp>

#include "base/unix_socket.h"
#include "eviction/quantity.h"

namespace evictd::cli {
namespace {

/// A daemon that is there answers at once.
constexpr Duration kAskTimeout = std::chrono::seconds(2);

std::optional<struct statvfs> ask_filesystem(const std::string& path) {
  struct statvfs answer {};
  return !path.empty() && ::statvfs(path.c_str(), &answer) == 0 ? std::optional(answer)
                                                                : std::nullopt;
}

void look_at_storage(const config::StorageSettings& storage, config::NodeFacts& facts) {
  for (const std::string& path :
       {storage.node_fs_path, storage.kubelet_root_directory, std::string("/")}) {
    if (const auto filesystem = ask_filesystem(path)) {
      facts.ephemeral_storage_bytes =
          static_cast<std::int64_t>(filesystem->f_blocks * filesystem->f_frsize);
      facts.nodefs_inodes = static_cast<std::int64_t>(filesystem->f_files);
      return;
    }
  }
}

/// The growth of all pods that grow.
std::optional<std::int64_t> ask_for_rate(const std::string& socket) {
  const Result<std::string> answer =
      base::request_line(socket, nlohmann::json{{"op", "status"}}.dump(), {.timeout = kAskTimeout});
  const auto status =
      nlohmann::json::parse(answer.value_or(""), nullptr, /*allow_exceptions=*/false);
  if (!status.is_object() || !status.contains("pods") || !status["pods"].is_array()) {
    return std::nullopt;
  }
  std::int64_t sum = 0;
  for (const nlohmann::json& pod : status["pods"]) {
    const auto rate = pod.is_object() ? pod.find("rate_bytes_per_second") : pod.end();
    if (rate != pod.end() && rate->is_number() && rate->get<double>() > 0) {
      sum += rate->get<std::int64_t>();
    }
  }
  return sum;
}

Result<> override_fact(const std::string& option, const std::optional<std::string>& text,
                       std::optional<std::int64_t>& fact) {
  if (!text) {
    return {};
  }
  const Result<eviction::Quantity> quantity = eviction::Quantity::parse(*text);
  if (!quantity || quantity->sign() <= 0) {
    return fail(Errc::kInvalid, option + ": \"" + *text +
                                    "\": no amount; allowed: a quantity above 0, such as 64Mi");
  }
  fact = quantity->value();
  return {};
}

}  // namespace

Result<config::NodeFacts> look_at_node(const NodeFactOptions& options,
                                       const config::Config& config) {
  config::NodeFacts facts;
  const std::int64_t pages = ::sysconf(_SC_PHYS_PAGES);
  const std::int64_t page_bytes = ::sysconf(_SC_PAGESIZE);
  if (pages > 0 && page_bytes > 0) {
    facts.memory_bytes = pages * page_bytes;
  }
  look_at_storage(config->storage, facts);
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
  return overridden ? Result<config::NodeFacts>(facts)
                    : Result<config::NodeFacts>(tl::unexpected(overridden.error()));
}

}  // namespace evictd::cli
