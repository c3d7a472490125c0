// SPDX-License-Identifier: Apache-2.0
// Creates the parts of a bridge.
#include <sys/signalfd.h>

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <random>
#include <utility>

#include "evictd/try.h"
#include "kube/api_server_source.h"
#include "kube/bridge.h"
#include "kube/kubeconfig.h"
#include "kube/kubelet_source.h"
#include "sys/node_name.h"

namespace evictd::kube {

namespace {

/// An empty pod list is believed after ten times as long as a list that lacks some pods.
constexpr int kAllGoneFactor = 10;
/// Length limit of a journal line; a decision among a thousand pods has some 700 KiB.
constexpr std::size_t kLongestRecord = std::size_t{16} << 20U;

std::optional<std::string> from_environment(const char* name) {
  const char* const value = std::getenv(name);  // NOLINT(concurrency-mt-unsafe): one thread
  return value == nullptr ? std::nullopt : std::optional<std::string>(value);
}

Result<std::string> node_name_of(const KubeSettings& settings) {
  std::string name = settings.node_name;
  if (name.empty()) {
    name = from_environment("NODE_NAME").value_or("");
  }
  if (name.empty()) {
    name = sys::node_name_here();
  }
  return is_node_name(name)
             ? Result<std::string>(name)
             : fail(Errc::kInvalid, "nodeName: not given, and \"" + name +
                                        "\" is not one; allowed: the node's name in the API");
}

RandomPart random_part() {
  return [engine = std::mt19937(std::random_device()())]() mutable {
    return std::uniform_real_distribution<>()(engine);
  };
}

FindAccess find_access_of(const ApiServerSettings& api) {
  if (api.in_cluster) {
    return [] { return access_in_cluster({.environment = from_environment}); };
  }
  if (!api.kubeconfig.empty()) {
    return
        [file = api.kubeconfig, context = api.context] { return read_kubeconfig(file, context); };
  }
  return [access = api.access] { return Result<ServerAccess>(access); };
}

}  // namespace

Bridge::Bridge(Options options, base::EventLoop loop, base::Timer timer)
    : options_(std::move(options)), loop_(std::move(loop)), timer_(std::move(timer)) {}

Result<std::unique_ptr<Bridge>> Bridge::create(Options options) {
  EVICTD_ASSIGN_OR_RETURN(base::EventLoop loop, base::EventLoop::create());
  EVICTD_ASSIGN_OR_RETURN(base::Timer timer, base::Timer::create());
  std::unique_ptr<Bridge> bridge(new Bridge(std::move(options), std::move(loop), std::move(timer)));
  EVICTD_TRY(bridge->prepare());
  return bridge;
}

Result<> Bridge::prepare() {
  started_at_ = options_.clock->now();
  EVICTD_ASSIGN_OR_RETURN(node_, node_name_of(options_.settings));
  EVICTD_ASSIGN_OR_RETURN(ManifestWriter writer,
                          ManifestWriter::open(options_.settings.manifest_directory));
  const KubeletSettings& kubelet = options_.settings.kubelet;
  const bool is_kubelet = options_.settings.pod_source == SourceKind::kKubelet;
  directory_.emplace(
      PodDirectory::Options{
          .absence = is_kubelet ? Absence{.gone_after = kubelet.gone_after,
                                          .all_gone_after = kubelet.gone_after * kAllGoneFactor}
                                : Absence{},
          .on_write_failed = [this] { source_->on_write_failed(options_.clock->now()); }},
      std::move(writer));
  EVICTD_TRY(prepare_observer());
  EVICTD_TRY(prepare_events());
  EVICTD_TRY(prepare_source());
  return prepare_sockets();
}

Result<> Bridge::prepare_observer() {
  const ActionSettings& settings = options_.settings.actions;
  if (settings.mode != Mode::kObserve) {
    return {};
  }
  EVICTD_ASSIGN_OR_RETURN(observer_, Observer::create({.state_directory = settings.state_directory,
                                                       .window = settings.compare_window,
                                                       .loop = &loop_,
                                                       .clock = options_.clock,
                                                       .log = options_.log}));
  eviction_watch_.emplace(
      EvictionWatch::Options{.next = &*directory_,
                             .clock = options_.clock,
                             .on_eviction = [this](exporting::ComparedEviction eviction) {
                               observer_->on_eviction(std::move(eviction));
                             }});
  return {};
}

Result<> Bridge::prepare_events() {
  const KubeSettings& settings = options_.settings;
  if (!asks_for_events(settings)) {
    return {};
  }
  EVICTD_ASSIGN_OR_RETURN(
      evicted_events_,
      EvictedEvents::create({.node = node_,
                             .watch_time = settings.api_server.watch_time,
                             .silence_limit = settings.api_server.silence_limit,
                             .find_access = find_access_of(settings.api_server),
                             .random = random_part(),
                             .loop = &loop_,
                             .clock = options_.clock,
                             .on_eviction = [this](exporting::ComparedEviction eviction) {
                               observer_->on_eviction(std::move(eviction));
                             }}));
  return {};
}

PodSink* Bridge::make_sink() {
  if (eviction_watch_) {
    return &*eviction_watch_;
  }
  if (acts(options_.settings.actions.mode)) {
    return &controllers_.emplace(*directory_);
  }
  return &*directory_;
}

Result<> Bridge::prepare_source() {
  const KubeSettings& settings = options_.settings;
  PodSink* const sink = make_sink();
  if (settings.pod_source == SourceKind::kKubelet) {
    find_access_ = [access = settings.kubelet.access] { return Result<ServerAccess>(access); };
    source_ = std::make_unique<KubeletSource>(KubeletSource::Options{
        .poll_interval = settings.kubelet.poll_interval, .sink = sink, .random = random_part()});
  } else {
    find_access_ = find_access_of(settings.api_server);
    source_ = std::make_unique<ApiServerSource>(
        ApiServerSource::Options{.rules = {.node = node_},
                                 .watch_time = settings.api_server.watch_time,
                                 .silence_limit = settings.api_server.silence_limit,
                                 .sink = sink,
                                 .random = random_part()});
  }
  EVICTD_ASSIGN_OR_RETURN(client_, HttpClient::create(loop_, *options_.clock, *this));
  return {};
}

Result<> Bridge::prepare_sockets() {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGTERM);
  sigaddset(&set, SIGINT);
  signals_.reset(::signalfd(-1, &set, SFD_NONBLOCK | SFD_CLOEXEC));
  if (!signals_) {
    return fail_errno(errno, "watch signals");
  }
  EVICTD_TRY(loop_.add(signals_.get(), EPOLLIN, signal_handler_));
  EVICTD_TRY(loop_.add(timer_.descriptor(), EPOLLIN, timer_handler_));
  // The group may connect: no request changes anything.
  constexpr mode_t kOwnerAndGroup = 0660;
  EVICTD_ASSIGN_OR_RETURN(
      server_, EVICTD_IN("open the status socket",
                         base::LineServer::create(
                             {.path = options_.settings.status_socket, .mode = kOwnerAndGroup},
                             loop_, *options_.clock, *this)));
  EVICTD_TRY(prepare_runtime());
  EVICTD_TRY(prepare_actions());
  return prepare_follower();
}

Result<> Bridge::prepare_actions() {
  const KubeSettings& settings = options_.settings;
  if (!acts(settings.actions.mode)) {
    return {};
  }
  EVICTD_ASSIGN_OR_RETURN(
      actions_,
      ApiActions::create(
          {.settings = settings.actions,
           .node = node_,
           .find_access = find_access_of(settings.api_server),
           .find_controller = [this](const std::string& uid) { return controllers_->find(uid); },
           .random = random_part(),
           .loop = &loop_,
           .clock = options_.clock,
           .log = options_.log}));
  return {};
}

Result<> Bridge::prepare_follower() {
  if (options_.settings.evictd_socket == "none") {
    return {};
  }
  EvictdFollower::Options following{
      .path = options_.settings.evictd_socket,
      .loop = &loop_,
      .clock = options_.clock,
      .on_unknown_pod = [this] { source_->on_unknown_pod(options_.clock->now()); }};
  if (actions_) {
    following.request = [this] { return actions_->follow_request(); };
    following.longest_line = kLongestRecord;
  }
  if (observer_) {
    following.request = [this] { return observer_->follow_request(); };
    following.longest_line = kLongestRecord;
  }
  following.on_line = [this](std::string_view line) { return on_journal_line(line); };
  EVICTD_ASSIGN_OR_RETURN(follower_, EvictdFollower::create(std::move(following)));
  return {};
}

Result<> Bridge::prepare_runtime() {
  if (options_.settings.runtime.endpoint == "none") {
    return {};
  }
  EVICTD_ASSIGN_OR_RETURN(
      runtime_, EVICTD_IN("link the container runtime",
                          RuntimeLink::create(
                              {.settings = options_.settings.runtime,
                               .roles_in = [this](const std::string& uid) -> const ContainerRoles& {
                                 return directory_->roles_in(uid);
                               },
                               .loop = &loop_,
                               .clock = options_.clock})));
  return {};
}

}  // namespace evictd::kube
