// SPDX-License-Identifier: Apache-2.0
#include "cri/runtime_client.h"

#include <nlohmann/json.hpp>
#include <utility>

#include "base/json_text.h"
#include "evictd/try.h"
#include "runtime.pb.h"

namespace evictd::cri {

namespace {

WallTime wall_time(std::int64_t nanoseconds) {
  return WallTime(Duration(nanoseconds));
}

template <typename Map>
std::string label(const Map& labels, const char* name) {
  const auto found = labels.find(name);
  return found == labels.end() ? std::string() : found->second;
}

std::optional<std::uint64_t> amount(bool is_there, const wire::UInt64Value& value) {
  return is_there ? std::optional(value.value()) : std::nullopt;
}

Sandbox sandbox_of(const wire::PodSandbox& item) {
  return {
      .id = item.id(),
      .pod_uid = item.metadata().uid(),
      .pod = item.metadata().namespace_() + "/" + item.metadata().name(),
      .state = item.state() == wire::SANDBOX_READY ? SandboxState::kReady : SandboxState::kNotReady,
      .created = wall_time(item.created_at())};
}

ContainerState state_of(wire::ContainerState state) {
  switch (state) {
    case wire::CONTAINER_CREATED:
      return ContainerState::kCreated;
    case wire::CONTAINER_RUNNING:
      return ContainerState::kRunning;
    case wire::CONTAINER_EXITED:
      return ContainerState::kExited;
    default:
      return ContainerState::kUnknown;
  }
}

Container container_of(const wire::Container& item) {
  const std::string name = label(item.labels(), kContainerNameLabel);
  return {.id = item.id(),
          .sandbox_id = item.pod_sandbox_id(),
          .name = name.empty() ? item.metadata().name() : name,
          .pod_uid = label(item.labels(), kPodUidLabel),
          .image = item.image().image(),
          .image_ref = item.image_ref(),
          .image_id = item.image_id(),
          .state = state_of(item.state()),
          .created = wall_time(item.created_at())};
}

LayerUsage layer_of(const wire::ContainerStats& item) {
  const wire::FilesystemUsage& layer = item.writable_layer();
  return {.container_id = item.attributes().id(),
          .bytes = amount(layer.has_used_bytes(), layer.used_bytes()),
          .inodes = amount(layer.has_inodes_used(), layer.inodes_used())};
}

Image image_of(const wire::Image& item) {
  return {.id = item.id(),
          .tags = {item.repo_tags().begin(), item.repo_tags().end()},
          .digests = {item.repo_digests().begin(), item.repo_digests().end()},
          .bytes = item.size(),
          .is_pinned = item.pinned()};
}

/// Reads the cgroup from the verbose info of containerd and CRI-O.
std::string cgroup_in(const std::string& info) {
  const auto read = base::parse_json<nlohmann::json>(info, base::JsonLimits{});
  if (!read || !read->is_object()) {
    return "";
  }
  static const nlohmann::json::json_pointer kPlace("/runtimeSpec/linux/cgroupsPath");
  return read->contains(kPlace) && read->at(kPlace).is_string()
             ? read->at(kPlace).get<std::string>()
             : "";
}

template <typename T, typename Items>
std::vector<T> all_of(const Items& items, T (*read)(const typename Items::value_type&)) {
  std::vector<T> all;
  all.reserve(static_cast<std::size_t>(items.size()));
  for (const auto& item : items) {
    all.push_back(read(item));
  }
  return all;
}

}  // namespace

const char* to_string(ContainerState state) {
  switch (state) {
    case ContainerState::kCreated:
      return "created";
    case ContainerState::kRunning:
      return "running";
    case ContainerState::kExited:
      return "exited";
    case ContainerState::kUnknown:
      return "unknown";
  }
  return "unknown";
}

RuntimeClient::RuntimeClient(Options options)
    : options_(std::move(options)), channel_(options_.channel) {}

RuntimeClient::Question RuntimeClient::list(const char* method, Service service) const {
  return {.service = service, .method = method, .deadline = options_.deadline};
}

RuntimeClient::Question RuntimeClient::change(const char* method, Service service) const {
  return {.service = service, .method = method, .deadline = options_.long_deadline};
}

Result<> RuntimeClient::find_api() {
  const std::string request = wire::VersionRequest().SerializeAsString();
  Result<std::string> answer = fail(Errc::kUnsupported, "");
  for (const char* const api : {"v1", "v1alpha2"}) {
    answer = channel_.call({.method = std::string("/runtime.") + api + ".RuntimeService/Version",
                            .request = request,
                            .deadline = options_.deadline});
    if (answer) {
      api_ = api;
      return {};
    }
    if (answer.error().code != Errc::kUnsupported) {
      break;
    }
  }
  return Failure(answer.error());
}

Result<std::string> RuntimeClient::call_known_api(const Question& question,
                                                  const std::string& request) {
  const char* const service =
      question.service == Service::kRuntime ? ".RuntimeService/" : ".ImageService/";
  return channel_.call({.method = "/runtime." + api_ + service + question.method,
                        .request = request,
                        .deadline = question.deadline});
}

Result<std::string> RuntimeClient::ask(const Question& question, const std::string& request) {
  if (api_.empty()) {
    EVICTD_TRY(find_api());
  }
  Result<std::string> answer = call_known_api(question, request);
  if (!answer && answer.error().code == Errc::kUnsupported) {
    // The method may be missing, or another runtime may listen there now.
    const std::string before = api_;
    if (Result<> found = find_api(); found && api_ != before) {
      answer = call_known_api(question, request);
    }
  }
  return answer;
}

template <typename Response, typename Request>
Result<Response> RuntimeClient::exchange(const Question& question, const Request& request) {
  EVICTD_ASSIGN_OR_RETURN(const std::string answer, ask(question, request.SerializeAsString()));
  Response response;
  if (!response.ParseFromString(answer)) {
    return fail(Errc::kMalformed,
                std::string("ask the container runtime: ") + question.method + ": bad answer");
  }
  return response;
}

Result<RuntimeVersion> RuntimeClient::version() {
  EVICTD_ASSIGN_OR_RETURN(const auto answer,
                          exchange<wire::VersionResponse>(list("Version"), wire::VersionRequest()));
  return RuntimeVersion{
      .name = answer.runtime_name(), .version = answer.runtime_version(), .api = api_};
}

Result<std::vector<Sandbox>> RuntimeClient::list_sandboxes(
    const std::optional<std::string>& pod_uid) {
  wire::ListPodSandboxRequest request;
  if (pod_uid) {
    (*request.mutable_filter()->mutable_label_selector())[kPodUidLabel] = *pod_uid;
  }
  const auto answer = exchange<wire::ListPodSandboxResponse>(list("ListPodSandbox"), request);
  return answer ? Result<std::vector<Sandbox>>(all_of(answer->items(), sandbox_of))
                : Failure(answer.error());
}

Result<std::vector<Container>> RuntimeClient::list_containers() {
  const auto answer =
      exchange<wire::ListContainersResponse>(list("ListContainers"), wire::ListContainersRequest());
  return answer ? Result<std::vector<Container>>(all_of(answer->containers(), container_of))
                : Failure(answer.error());
}

Result<std::vector<LayerUsage>> RuntimeClient::list_layers() {
  const auto answer = exchange<wire::ListContainerStatsResponse>(list("ListContainerStats"),
                                                                 wire::ListContainerStatsRequest());
  return answer ? Result<std::vector<LayerUsage>>(all_of(answer->stats(), layer_of))
                : Failure(answer.error());
}

Result<std::vector<Image>> RuntimeClient::list_images() {
  const auto answer = exchange<wire::ListImagesResponse>(list("ListImages", Service::kImage),
                                                         wire::ListImagesRequest());
  return answer ? Result<std::vector<Image>>(all_of(answer->images(), image_of))
                : Failure(answer.error());
}

Result<RuntimePlaces> RuntimeClient::places() {
  EVICTD_ASSIGN_OR_RETURN(const auto answer,
                          exchange<wire::ImageFsInfoResponse>(list("ImageFsInfo", Service::kImage),
                                                              wire::ImageFsInfoRequest()));
  const auto first = [](const auto& filesystems) {
    return filesystems.empty() ? std::string() : filesystems[0].fs_id().mountpoint();
  };
  return RuntimePlaces{.images = first(answer.image_filesystems()),
                       .containers = first(answer.container_filesystems())};
}

Result<std::string> RuntimeClient::sandbox_image() {
  wire::StatusRequest request;
  request.set_verbose(true);
  EVICTD_ASSIGN_OR_RETURN(const auto answer,
                          exchange<wire::StatusResponse>(list("Status"), request));
  const auto config =
      base::parse_json<nlohmann::json>(label(answer.info(), "config"), base::JsonLimits{});
  if (!config || !config->is_object()) {
    return std::string();
  }
  const auto image = config->find("sandboxImage");
  return image != config->end() && image->is_string() ? image->get<std::string>() : std::string();
}

Result<ContainerDetails> RuntimeClient::details(const std::string& container_id) {
  wire::ContainerStatusRequest request;
  request.set_container_id(container_id);
  request.set_verbose(true);
  EVICTD_ASSIGN_OR_RETURN(
      const auto answer, exchange<wire::ContainerStatusResponse>(list("ContainerStatus"), request));
  return ContainerDetails{.cgroup = cgroup_in(label(answer.info(), "info")),
                          .log_path = answer.status().log_path()};
}

Result<> RuntimeClient::stop_sandbox(const std::string& id) {
  wire::PodSandboxRequest request;
  request.set_pod_sandbox_id(id);
  const auto answer = exchange<wire::EmptyResponse>(change("StopPodSandbox"), request);
  return answer ? Result<>() : Failure(answer.error());
}

Result<> RuntimeClient::remove_sandbox(const std::string& id) {
  wire::PodSandboxRequest request;
  request.set_pod_sandbox_id(id);
  const auto answer = exchange<wire::EmptyResponse>(change("RemovePodSandbox"), request);
  return answer ? Result<>() : Failure(answer.error());
}

Result<> RuntimeClient::remove_container(const std::string& id) {
  wire::RemoveContainerRequest request;
  request.set_container_id(id);
  const auto answer = exchange<wire::EmptyResponse>(change("RemoveContainer"), request);
  return answer ? Result<>() : Failure(answer.error());
}

Result<> RuntimeClient::remove_image(const std::string& id) {
  wire::RemoveImageRequest request;
  request.mutable_image()->set_image(id);
  const auto answer =
      exchange<wire::EmptyResponse>(change("RemoveImage", Service::kImage), request);
  return answer ? Result<>() : Failure(answer.error());
}

}  // namespace evictd::cri
