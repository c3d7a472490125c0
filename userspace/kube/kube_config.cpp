// SPDX-License-Identifier: Apache-2.0
#include "kube/kube_config.h"

#include <algorithm>
#include <array>
#include <functional>
#include <map>
#include <utility>
#include <vector>

#include "config/file_text.h"
#include "config/value.h"
#include "config/yaml_tree.h"
#include "core/nearest_name.h"
#include "cri/endpoint.h"
#include "evictd/try.h"
#include "kube/actions/names.h"

namespace evictd::kube {

namespace {

using config::Value;
using config::YamlEntry;
using config::YamlNode;
using std::chrono::hours;
using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::seconds;

/// Stores the value of one key.
using ReadKey = std::function<Result<>(const Value&)>;
using Keys = std::map<std::string, ReadKey>;

template <typename T, typename Read>
ReadKey key(T& setting, Read read) {
  return [&setting, read](const Value& value) -> Result<> {
    EVICTD_ASSIGN_OR_RETURN(setting, read(value));
    return {};
  };
}

ReadKey integer_key(int& setting, config::Range<std::int64_t> range) {
  return key(setting, [range](const Value& value) {
    return config::read_integer(value, range).map([](std::int64_t number) {
      return static_cast<int>(number);
    });
  });
}

ReadKey duration_key(Duration& setting, config::Range<Duration> range) {
  return key(setting, [range](const Value& value) { return config::read_duration(value, range); });
}

template <typename T>
ReadKey choice_key(T& setting, std::vector<std::pair<std::string, T>> choices) {
  return [&setting, choices = std::move(choices)](const Value& value) -> Result<> {
    std::string allowed;
    for (const auto& [name, choice] : choices) {
      if (value.node.kind == YamlNode::Kind::kScalar && value.node.text == name) {
        setting = choice;
        return {};
      }
      allowed += (allowed.empty() ? "" : ", ") + name;
    }
    return value.refuse("not allowed", allowed);
  };
}

Result<std::string> read_url(const Value& value) {
  EVICTD_ASSIGN_OR_RETURN(std::string url, config::read_text(value));
  while (url.ends_with('/')) {
    url.pop_back();
  }
  if (const std::string problem = url_problem(url); !problem.empty()) {
    return value.refuse("not an address", problem);
  }
  return url;
}

Keys access_keys(ServerAccess& access) {
  return {{"url", key(access.url, read_url)},
          {"caFile", key(access.ca_file, config::read_path)},
          {"insecureSkipVerify", key(access.insecure_skip_verify, config::read_bool)},
          {"tokenFile", key(access.token_file, config::read_path)},
          {"clientCertificateFile", key(access.certificate_file, config::read_path)},
          {"clientKeyFile", key(access.key_file, config::read_path)}};
}

Result<> read_keys(const Value& map, const Keys& keys) {
  EVICTD_TRY(config::expect_map(map, "a mapping"));
  for (const YamlEntry& entry : map.node.entries) {
    const std::string path = (map.key.empty() ? "" : map.key + ".") + entry.key;
    const auto key = keys.find(entry.key);
    if (key == keys.end()) {
      std::vector<std::string> known;
      for (const auto& [name, reader] : keys) {
        known.push_back(name);
      }
      return config::refuse({.filename = map.filename,
                             .line = entry.line,
                             .key = path,
                             .shown = "",
                             .reason = "unknown key",
                             .allowed = "the nearest is " + core::nearest_name(entry.key, known)});
    }
    EVICTD_TRY(key->second({.node = entry.value, .filename = map.filename, .key = path}));
  }
  return {};
}

ReadKey group_key(Keys keys) {
  return [keys = std::move(keys)](const Value& value) { return read_keys(value, keys); };
}

Keys kubelet_keys(KubeletSettings& settings) {
  Keys keys = access_keys(settings.access);
  keys["pollInterval"] = duration_key(settings.poll_interval, {milliseconds(100), minutes(10)});
  keys["goneAfter"] = duration_key(settings.gone_after, {Duration(0), hours(1)});
  return keys;
}

Keys api_server_keys(ApiServerSettings& settings) {
  Keys keys = access_keys(settings.access);
  keys["inCluster"] = key(settings.in_cluster, config::read_bool);
  keys["kubeconfig"] = key(settings.kubeconfig, config::read_path);
  keys["context"] = key(settings.context, config::read_text);
  keys["watchTime"] = duration_key(settings.watch_time, {seconds(1), hours(1)});
  keys["silenceLimit"] = duration_key(settings.silence_limit, {milliseconds(100), hours(1)});
  return keys;
}

Result<std::string> read_endpoint(const Value& value) {
  EVICTD_ASSIGN_OR_RETURN(std::string endpoint, config::read_text(value));
  if (endpoint != "none" && endpoint != "auto" && !cri::socket_path(endpoint)) {
    return value.refuse("not a socket",
                        "none, auto, or /PATH or unix:///PATH of at most 107 bytes");
  }
  return endpoint;
}

Keys runtime_keys(RuntimeSettings& settings) {
  return {{"endpoint", key(settings.endpoint, read_endpoint)},
          {"pollInterval", duration_key(settings.poll_interval, {milliseconds(100), minutes(10)})},
          {"events", key(settings.follows_events, config::read_bool)},
          {"placeLink", key(settings.place_link, config::read_path)}};
}

/// A number of containers; -1: any.
Result<std::optional<std::size_t>> read_limit(const Value& value) {
  constexpr std::int64_t kMost = 1'000'000;
  EVICTD_ASSIGN_OR_RETURN(const std::int64_t number, config::read_integer(value, {-1, kMost}));
  return number < 0 ? std::nullopt : std::optional(static_cast<std::size_t>(number));
}

Keys reclaim_keys(ReclaimSettings& settings) {
  return {
      {"minContainerAge",
       duration_key(settings.containers.min_age, {Duration(0), hours(24 * 365)})},
      {"maxPerPodContainer", key(settings.containers.max_per_pod_container, read_limit)},
      {"maxContainers", key(settings.containers.max_containers, read_limit)},
      {"imageMinimumGCAge", duration_key(settings.images.min_age, {Duration(0), hours(24 * 365)})},
      {"imageGCLowThresholdPercent", integer_key(settings.images.low_threshold_percent, {0, 100})}};
}

Result<std::string> read_node_name(const Value& value) {
  EVICTD_ASSIGN_OR_RETURN(std::string name, config::read_text(value));
  if (!is_node_name(name)) {
    return value.refuse("not a node name",
                        "up to 253 of a-z, 0-9, \"-\" and \".\", as the API server has it");
  }
  return name;
}

Result<std::string> read_socket_or_none(const Value& value) {
  const bool is_none = value.node.kind == YamlNode::Kind::kScalar && value.node.text == "none";
  return is_none ? Result<std::string>("none") : config::read_path(value);
}

Keys top_keys(KubeSettings& settings) {
  using base::LogFormat;
  using base::LogLevel;
  return {
      {"podSource",
       choice_key<SourceKind>(settings.pod_source, {{"kubelet", SourceKind::kKubelet},
                                                    {"apiserver", SourceKind::kApiServer}})},
      {"nodeName", key(settings.node_name, read_node_name)},
      {"manifestDirectory", key(settings.manifest_directory, config::read_path)},
      {"statusSocket", key(settings.status_socket, config::read_path)},
      {"evictdSocket", key(settings.evictd_socket, read_socket_or_none)},
      {"mode", choice_key<Mode>(settings.actions.mode, {{"none", Mode::kNone},
                                                        {"observe", Mode::kObserve},
                                                        {"assist", Mode::kAssist},
                                                        {"own", Mode::kOwn}})},
      {"compareWindow",
       duration_key(settings.actions.compare_window, {milliseconds(100), hours(1)})},
      {"nodeConditions", choice_key<NodeConditions>(settings.actions.node_conditions,
                                                    {{"own", NodeConditions::kOwn},
                                                     {"standard", NodeConditions::kStandard}})},
      {"stateDirectory", key(settings.actions.state_directory, config::read_path)},
      {"respectDisruptionBudgets", key(settings.actions.respects_budgets, config::read_bool)},
      {"loopDamping",
       choice_key<bool>(settings.actions.damps_loops, {{"none", false}, {"taint", true}})},
      {"requestsPerSecond", integer_key(settings.actions.requests_per_second, {1, 1000})},
      {"kubelet", group_key(kubelet_keys(settings.kubelet))},
      {"apiServer", group_key(api_server_keys(settings.api_server))},
      {"runtime", group_key(runtime_keys(settings.runtime))},
      {"reclaim", group_key(reclaim_keys(settings.reclaim))},
      {"log",
       group_key(
           {{"format", choice_key<LogFormat>(settings.log.format, {{"text", LogFormat::kText},
                                                                   {"json", LogFormat::kJson}})},
            {"level", choice_key<LogLevel>(settings.log.level, {{"debug", LogLevel::kDebug},
                                                                {"info", LogLevel::kInfo},
                                                                {"warn", LogLevel::kWarn},
                                                                {"error", LogLevel::kError}})}})}};
}

/// The line at which the mapping of a group starts; else the start of the file.
int line_of(const YamlNode& root, std::string_view group) {
  const YamlEntry* const entry = entry_in(root, group);
  return entry == nullptr ? root.line : entry->line;
}

/// A conflict between keys that are valid by themselves.
struct Contradiction {
  std::string_view group;
  std::string key;
  std::string reason;
  std::string allowed;
};

std::optional<Contradiction> contradiction_in(const ServerAccess& access, std::string_view group) {
  const std::string prefix = std::string(group) + ".";
  if (access.certificate_file.empty() != access.key_file.empty()) {
    return Contradiction{group, prefix + "clientCertificateFile", "only one of the pair is given",
                         "clientCertificateFile and clientKeyFile together"};
  }
  const bool is_secure = access.url.starts_with("https://");
  const bool has_secret = !access.token_file.empty() || !access.key_file.empty();
  if (!is_secure && has_secret) {
    return Contradiction{group, prefix + "url", "credentials for a server that is not https",
                         "https://, or neither tokenFile nor clientKeyFile"};
  }
  if (is_secure && access.ca_file.empty() == !access.insecure_skip_verify) {
    return Contradiction{group, prefix + "caFile",
                         access.ca_file.empty() ? "not given" : "given with insecureSkipVerify",
                         "caFile, or insecureSkipVerify: true"};
  }
  return std::nullopt;
}

std::optional<Contradiction> contradiction_in(const KubeletSettings& kubelet) {
  if (kubelet.access.url.empty()) {
    return Contradiction{"kubelet", "kubelet.url", "not given",
                         "https://HOST:10250, or http://HOST:10255 for the read-only port"};
  }
  return contradiction_in(kubelet.access, "kubelet");
}

std::optional<Contradiction> contradiction_in(const ApiServerSettings& api) {
  const int ways = (api.access.url.empty() ? 0 : 1) + (api.in_cluster ? 1 : 0) +
                   (api.kubeconfig.empty() ? 0 : 1);
  if (ways != 1) {
    return Contradiction{"apiServer", "apiServer",
                         ways == 0 ? "names no server" : "names more than one server",
                         "one of url, kubeconfig and inCluster: true"};
  }
  if (!api.context.empty() && api.kubeconfig.empty()) {
    return Contradiction{"apiServer", "apiServer.context", "without kubeconfig",
                         "context together with kubeconfig"};
  }
  if (api.access.url.empty()) {
    const ServerAccess& access = api.access;
    const bool is_mixed = access.insecure_skip_verify || !access.ca_file.empty() ||
                          !access.token_file.empty() || !access.key_file.empty() ||
                          !access.certificate_file.empty();
    return is_mixed
               ? std::optional(Contradiction{"apiServer", "apiServer", "credentials without url",
                                             "caFile, tokenFile and the like only with url"})
               : std::nullopt;
  }
  return contradiction_in(api.access, "apiServer");
}

std::optional<Contradiction> contradiction_in(const KubeSettings& settings) {
  if (settings.actions.mode != Mode::kNone && settings.evictd_socket == "none") {
    return Contradiction{"mode", "mode", "without evictd's journal",
                         "evictdSocket: the path of evictd's control socket"};
  }
  if (settings.actions.damps_loops && !acts(settings.actions.mode)) {
    return Contradiction{"loopDamping", "loopDamping", "this mode does not act at the API server",
                         "loopDamping: none, or mode: assist or own"};
  }
  const bool is_kubelet = settings.pod_source == SourceKind::kKubelet;
  std::optional<Contradiction> found =
      is_kubelet ? contradiction_in(settings.kubelet) : std::nullopt;
  const bool is_asked = acts(settings.actions.mode) || !is_kubelet || asks_for_events(settings);
  if (!found && is_asked) {
    found = contradiction_in(settings.api_server);
  }
  return found;
}

}  // namespace

bool asks_for_events(const KubeSettings& settings) {
  return settings.actions.mode == Mode::kObserve && settings.api_server.is_given();
}

bool is_node_name(std::string_view name) {
  return is_object_name(name);
}

Result<KubeSettings> parse_kube_config(std::string_view text, std::string_view filename) {
  EVICTD_ASSIGN_OR_RETURN(const YamlNode root, config::parse_yaml(text, filename));
  KubeSettings settings;
  EVICTD_TRY(read_keys({.node = root, .filename = filename, .key = ""}, top_keys(settings)));
  if (const std::optional<Contradiction> wrong = contradiction_in(settings)) {
    return config::refuse({.filename = filename,
                           .line = line_of(root, wrong->group),
                           .key = wrong->key,
                           .shown = "",
                           .reason = wrong->reason,
                           .allowed = wrong->allowed});
  }
  return settings;
}

Result<KubeSettings> read_kube_config(const std::string& file) {
  const Result<std::string> text = config::read_file(file, config::YamlLimits{}.bytes);
  return text ? parse_kube_config(*text, file) : Failure(text.error());
}

}  // namespace evictd::kube
