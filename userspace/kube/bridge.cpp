// SPDX-License-Identifier: Apache-2.0
#include "kube/bridge.h"

#include <sys/signalfd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <random>
#include <utility>

#include "base/json_text.h"
#include "kube/api_server_source.h"
#include "kube/kubeconfig.h"
#include "kube/kubelet_source.h"
#include "kube/status.h"
#include "sys/node_name.h"

namespace evictd::kube {

namespace {

/// An empty list of pods is believed after ten times as long as one that lacks some.
constexpr int kAllGoneFactor = 10;
/// Of a line of the journal; a decision among a thousand pods has some 700 KiB.
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
                                        "\" is none; allowed: the node's name in the API");
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
  Result<base::EventLoop> loop = base::EventLoop::create();
  if (!loop) {
    return Failure(loop.error());
  }
  Result<base::Timer> timer = base::Timer::create();
  if (!timer) {
    return Failure(timer.error());
  }
  std::unique_ptr<Bridge> bridge(
      new Bridge(std::move(options), std::move(*loop), std::move(*timer)));
  if (Result<> prepared = bridge->prepare(); !prepared) {
    return Failure(prepared.error());
  }
  return bridge;
}

Result<> Bridge::prepare() {
  started_at_ = options_.clock->now();
  Result<std::string> node = node_name_of(options_.settings);
  if (!node) {
    return Failure(node.error());
  }
  node_ = std::move(*node);
  Result<ManifestWriter> writer = ManifestWriter::open(options_.settings.manifest_directory);
  if (!writer) {
    return Failure(writer.error());
  }
  const KubeletSettings& kubelet = options_.settings.kubelet;
  const bool is_kubelet = options_.settings.pod_source == SourceKind::kKubelet;
  directory_.emplace(
      PodDirectory::Options{
          .absence = is_kubelet ? Absence{.gone_after = kubelet.gone_after,
                                          .all_gone_after = kubelet.gone_after * kAllGoneFactor}
                                : Absence{},
          .on_not_written = [this] { source_->on_not_written(options_.clock->now()); }},
      std::move(*writer));
  if (Result<> prepared = prepare_observer(); !prepared) {
    return prepared;
  }
  if (Result<> prepared = prepare_source(); !prepared) {
    return prepared;
  }
  return prepare_sockets();
}

Result<> Bridge::prepare_observer() {
  const ActionSettings& settings = options_.settings.actions;
  if (settings.mode != Mode::kObserve) {
    return {};
  }
  Result<std::unique_ptr<Observer>> observer =
      Observer::create({.state_directory = settings.state_directory,
                        .window = settings.compare_window,
                        .loop = &loop_,
                        .clock = options_.clock,
                        .log = options_.log});
  if (!observer) {
    return Failure(observer.error());
  }
  observer_ = std::move(*observer);
  eviction_watch_.emplace(
      EvictionWatch::Options{.next = &*directory_,
                             .clock = options_.clock,
                             .on_eviction = [this](exporting::ComparedEviction eviction) {
                               observer_->on_eviction(std::move(eviction));
                             }});
  return {};
}

Result<> Bridge::prepare_source() {
  const KubeSettings& settings = options_.settings;
  PodSink* const sink = eviction_watch_ ? static_cast<PodSink*>(&*eviction_watch_) : &*directory_;
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
  Result<std::unique_ptr<HttpClient>> client = HttpClient::create(loop_, *options_.clock, *this);
  if (!client) {
    return Failure(client.error());
  }
  client_ = std::move(*client);
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
  Result<> added = loop_.add(signals_.get(), EPOLLIN, signal_handler_);
  if (added) {
    added = loop_.add(timer_.descriptor(), EPOLLIN, timer_handler_);
  }
  if (!added) {
    return added;
  }
  Result<std::unique_ptr<base::LineServer>> server = base::LineServer::create(
      {.path = options_.settings.status_socket}, loop_, *options_.clock, *this);
  if (!server) {
    return fail_in("open the status socket", server.error());
  }
  server_ = std::move(*server);
  if (Result<> linked = prepare_runtime(); !linked) {
    return linked;
  }
  if (Result<> prepared = prepare_actions(); !prepared) {
    return prepared;
  }
  return prepare_follower();
}

Result<> Bridge::prepare_actions() {
  const KubeSettings& settings = options_.settings;
  if (!acts(settings.actions.mode)) {
    return {};
  }
  Result<std::unique_ptr<ApiActions>> actions =
      ApiActions::create({.settings = settings.actions,
                          .node = node_,
                          .find_access = find_access_of(settings.api_server),
                          .random = random_part(),
                          .loop = &loop_,
                          .clock = options_.clock,
                          .log = options_.log});
  if (!actions) {
    return Failure(actions.error());
  }
  actions_ = std::move(*actions);
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
  Result<std::unique_ptr<EvictdFollower>> follower = EvictdFollower::create(std::move(following));
  if (!follower) {
    return Failure(follower.error());
  }
  follower_ = std::move(*follower);
  return {};
}

Result<> Bridge::prepare_runtime() {
  if (options_.settings.runtime.endpoint == "none") {
    return {};
  }
  Result<std::unique_ptr<RuntimeLink>> runtime = RuntimeLink::create(
      {.settings = options_.settings.runtime, .loop = &loop_, .clock = options_.clock});
  if (!runtime) {
    return fail_in("link the container runtime", runtime.error());
  }
  runtime_ = std::move(*runtime);
  return {};
}

Result<> Bridge::run() {
  options_.log->info("started", {{"version", options_.version},
                                 {"node", node_},
                                 {"manifest_directory", options_.settings.manifest_directory}});
  while (!is_stopping_) {
    drive();
    tell_problems();
    if (const Result<int> waited = loop_.run_once(); !waited) {
      return Failure(waited.error());
    }
  }
  return {};
}

void Bridge::drive() {
  MonoTime now = options_.clock->now();
  if (source_->gives_up(now)) {
    client_->cancel("broken off");
    now = options_.clock->now();
  }
  if (const std::optional<Ask> ask = source_->tick(now)) {
    begin(*ask);
  }
  timer_.arm(source_->due());
}

void Bridge::begin(const Ask& ask) {
  Result<ServerAccess> access = find_access_();
  const Result<Credentials> credentials =
      access ? read_credentials(*access) : Result<Credentials>(Failure(access.error()));
  credential_failures_ += credentials ? 0 : 1;
  const Result<> started =
      credentials ? client_->start(ask, *credentials) : Result<>(Failure(credentials.error()));
  if (!started) {
    source_->on_end({.error = started.error()}, options_.clock->now());
  }
}

void Bridge::on_head(int status) {
  source_->on_head(status, options_.clock->now());
}

bool Bridge::on_data(std::string_view piece) {
  return source_->on_data(piece, options_.clock->now());
}

void Bridge::on_end(const Answer& answer) {
  source_->on_end(answer, options_.clock->now());
}

void Bridge::on_timer() {
  timer_.consume();
}

void Bridge::on_signal() {
  signalfd_siginfo info{};
  while (::read(signals_.get(), &info, sizeof info) == sizeof info) {
    is_stopping_ = true;
  }
  options_.log->info("stopping");
}

/// Each problem once, and once that it is over.
void Bridge::tell(const Telling& telling, const std::string& problem, std::string& told) {
  if (problem.empty() == told.empty()) {
    return;
  }
  told = problem;
  if (problem.empty()) {
    options_.log->info(std::string(telling.what) + " is well again");
  } else {
    options_.log->warn(std::string(telling.what) + ": " + problem + ", continuing " +
                       std::string(telling.meanwhile));
  }
}

/// A line that the queue does not take now comes again; the runtime knows it again then.
bool Bridge::on_journal_line(std::string_view line) {
  if (observer_) {
    observer_->on_line(line);
  }
  if (runtime_) {
    runtime_->on_line(line);
  }
  return !actions_ || actions_->on_line(line);
}

void Bridge::tell_problems() {
  constexpr std::string_view kAsKnown = "with the pods as they were last known";
  tell({"the source of pods", kAsKnown}, source_->problem(), told_source_);
  tell({"a manifest", kAsKnown}, directory_->problem(), told_directory_);
  if (follower_) {
    tell({"evictd's control socket", kAsKnown}, follower_->problem(), told_evictd_);
  }
  if (actions_) {
    tell({"what evictions call for", "and trying it again"}, actions_->problem(), told_actions_);
  }
  if (observer_) {
    tell({"the comparison with the kubelet", "with what is known"}, observer_->problem(),
         told_observer_);
  }
  if (runtime_) {
    tell({"the container runtime", "without ending sandboxes until it answers"},
         runtime_->problem(), told_runtime_);
  }
}

std::string Bridge::on_line(std::string_view request, const base::PeerCredentials& /*peer*/) {
  const Result<nlohmann::json> read =
      base::parse_json<nlohmann::json>(request, {.depth = 2, .members = 8});
  const bool is_request = read && read->is_object() && read->contains("op");
  const nlohmann::json op = is_request ? (*read)["op"] : nlohmann::json();
  return answer_to(op.is_string() ? op.get<std::string>() : std::string());
}

std::string Bridge::answer_to(const std::string& op) const {
  if (op == "compare") {
    return observer_ ? observer_->comparisons().dump()
                     : R"({"error":"nothing is compared: mode is not observe"})";
  }
  if (op != "status") {
    return R"({"error":"a request is {\"op\":\"status\"} or {\"op\":\"compare\"}"})";
  }
  return make_kube_status({.version = options_.version,
                           .node = node_,
                           .settings = &options_.settings,
                           .source = &*source_,
                           .directory = &*directory_,
                           .follower = follower_.get(),
                           .runtime = runtime_.get(),
                           .actions = actions_.get(),
                           .observer = observer_.get(),
                           .credential_failures = credential_failures_,
                           .started_at = started_at_},
                          options_.clock->now())
      .dump();
}

}  // namespace evictd::kube
