// SPDX-License-Identifier: Apache-2.0
#include "support/cri/fake_runtime.h"

#include <grpcpp/generic/async_generic_service.h>
#include <grpcpp/grpcpp.h>

#include <algorithm>
#include <deque>
#include <utility>

namespace evictd::cri::test {

namespace {

constexpr std::size_t kHugeBytes = std::size_t{32} << 10;

std::string bytes_of(const grpc::ByteBuffer& buffer) {
  std::vector<grpc::Slice> slices;
  std::string bytes;
  if (buffer.Dump(&slices).ok()) {
    for (const grpc::Slice& slice : slices) {
      bytes.append(reinterpret_cast<const char*>(slice.begin()), slice.size());
    }
  }
  return bytes;
}

template <typename Items>
std::size_t erase_id(Items& items, const std::string& id) {
  return std::erase_if(items, [&](const auto& item) { return item.id() == id; });
}

FakeRuntime::Outcome failure(grpc::StatusCode code, const std::string& message) {
  return {.code = code, .message = message, .answer = ""};
}

template <typename Message>
FakeRuntime::Outcome success(const Message& message) {
  return {.message = "", .answer = message.SerializeAsString()};
}

template <typename Message>
Message parse(const std::string& bytes) {
  Message message;
  message.ParseFromString(bytes);
  return message;
}

std::string argument_of(const std::string& method, const std::string& request) {
  if (method == "RemoveImage") {
    return parse<wire::RemoveImageRequest>(request).image().image();
  }
  // A sandbox id and a container id have the same field number.
  return parse<wire::PodSandboxRequest>(request).pod_sandbox_id();
}

}  // namespace

/// One call. A stream of events lasts until either side ends it.
class FakeRuntime::Reactor final : public grpc::ServerGenericBidiReactor {
 public:
  Reactor(FakeRuntime& runtime, std::string path) : runtime_(runtime), path_(std::move(path)) {
    StartRead(&request_);
  }

  void OnReadDone(bool is_there) override {
    const Outcome outcome = is_there ? runtime_.serve(path_, bytes_of(request_)) : Outcome{};
    if (outcome.hangs) {
      return;
    }
    if (outcome.streams) {
      runtime_.add_listener(this);
      return;
    }
    if (outcome.code != 0) {
      finish(grpc::Status(static_cast<grpc::StatusCode>(outcome.code), outcome.message));
      return;
    }
    const std::lock_guard lock(mutex_);
    if (std::exchange(is_finished_, true)) {
      return;
    }
    const grpc::Slice slice(outcome.answer);
    answer_ = grpc::ByteBuffer(&slice, 1);
    StartWriteAndFinish(&answer_, grpc::WriteOptions(), grpc::Status::OK);
  }
  void OnWriteDone(bool /*is_sent*/) override {
    const std::lock_guard lock(mutex_);
    is_writing_ = false;
    write_next();
  }
  void OnCancel() override { finish(grpc::Status::CANCELLED); }
  void OnDone() override {
    runtime_.remove_listener(this);
    delete this;
  }

  void push(const std::string& bytes) {
    const std::lock_guard lock(mutex_);
    waiting_.push_back(bytes);
    write_next();
  }
  void finish(const grpc::Status& status) {
    const std::lock_guard lock(mutex_);
    if (!std::exchange(is_finished_, true)) {
      Finish(status);
    }
  }

 private:
  void write_next() {
    if (is_writing_ || is_finished_ || waiting_.empty()) {
      return;
    }
    is_writing_ = true;
    const grpc::Slice slice(waiting_.front());
    waiting_.pop_front();
    answer_ = grpc::ByteBuffer(&slice, 1);
    StartWrite(&answer_);
  }

  FakeRuntime& runtime_;
  std::string path_;
  grpc::ByteBuffer request_;
  grpc::ByteBuffer answer_;
  std::mutex mutex_;
  std::deque<std::string> waiting_;
  bool is_writing_ = false;
  bool is_finished_ = false;
};

class FakeRuntime::Service final : public grpc::CallbackGenericService {
 public:
  Service(FakeRuntime& runtime, const std::filesystem::path& socket) : runtime_(runtime) {
    grpc::ServerBuilder builder;
    builder.SetMaxSendMessageSize(-1);
    builder.AddListeningPort("unix:" + socket.string(), grpc::InsecureServerCredentials());
    builder.RegisterCallbackGenericService(this);
    server_ = builder.BuildAndStart();
  }
  Service(const Service&) = delete;
  Service& operator=(const Service&) = delete;
  ~Service() override {
    // Cancels hanging calls at once.
    server_->Shutdown(gpr_inf_past(GPR_CLOCK_MONOTONIC));
    server_->Wait();
  }

  grpc::ServerGenericBidiReactor* CreateReactor(
      grpc::GenericCallbackServerContext* context) override {
    return new Reactor(runtime_, context->method());
  }

 private:
  FakeRuntime& runtime_;
  std::unique_ptr<grpc::Server> server_;
};

FakeRuntime::FakeRuntime(const std::filesystem::path& socket, std::set<std::string> apis)
    : apis_(std::move(apis)), service_(std::make_unique<Service>(*this, socket)) {}

FakeRuntime::~FakeRuntime() = default;

RuntimeState FakeRuntime::state() const {
  const std::lock_guard lock(mutex_);
  return state_;
}

void FakeRuntime::set_fault(const std::string& method, std::optional<Fault> fault) {
  const std::lock_guard lock(mutex_);
  faults_.erase(method);
  if (fault) {
    faults_[method] = *fault;
  }
}

std::vector<std::string> FakeRuntime::changes() const {
  const std::lock_guard lock(mutex_);
  return changes_;
}

int FakeRuntime::calls(const std::string& method) const {
  const std::lock_guard lock(mutex_);
  const auto found = calls_.find(method);
  return found == calls_.end() ? 0 : found->second;
}

void FakeRuntime::add_listener(Reactor* reactor) {
  const std::lock_guard lock(mutex_);
  listeners_.insert(reactor);
}

void FakeRuntime::remove_listener(Reactor* reactor) {
  const std::lock_guard lock(mutex_);
  listeners_.erase(reactor);
}

std::size_t FakeRuntime::listeners() const {
  const std::lock_guard lock(mutex_);
  return listeners_.size();
}

void FakeRuntime::tell(const std::string& message) {
  const std::lock_guard lock(mutex_);
  for (Reactor* const listener : listeners_) {
    listener->push(message);
  }
}

void FakeRuntime::tell_event(const std::string& container) {
  wire::ContainerEventResponse event;
  event.set_container_id(container);
  event.set_container_event_type(wire::CONTAINER_STARTED_EVENT);
  tell(event.SerializeAsString());
}

void FakeRuntime::end_streams() {
  const std::lock_guard lock(mutex_);
  for (Reactor* const listener : listeners_) {
    listener->finish(grpc::Status(grpc::StatusCode::UNAVAILABLE, "closing"));
  }
}

FakeRuntime::Outcome FakeRuntime::serve(const std::string& path, const std::string& request) {
  const std::lock_guard lock(mutex_);
  const std::string method = path.substr(path.rfind('/') + 1);
  const std::string api = path.substr(path.find('.') + 1, path.rfind('.') - path.find('.') - 1);
  if (!apis_.contains(api)) {
    return failure(grpc::StatusCode::UNIMPLEMENTED, "unknown service of " + path);
  }
  ++calls_[method];
  const bool is_change = method.starts_with("Stop") || method.starts_with("Remove");
  if (is_change) {
    changes_.push_back(method + " " + argument_of(method, request));
  }
  const auto fault = faults_.find(method);
  if (fault == faults_.end() && method == "GetContainerEvents" && state_.has_events) {
    return {.message = "", .answer = "", .streams = true};
  }
  if (fault == faults_.end()) {
    return answer_of(method, request);
  }
  switch (fault->second) {
    case Fault::kUnavailable:
      return failure(grpc::StatusCode::UNAVAILABLE, "not now");
    case Fault::kUnimplemented:
      return failure(grpc::StatusCode::UNIMPLEMENTED, "no such method");
    case Fault::kHang:
      return {.message = "", .answer = "", .hangs = true};
    case Fault::kGarbage:
      return {.message = "", .answer = "\xff\xff\xff\xff garbage"};
    case Fault::kHuge:
      return {.message = "", .answer = std::string(kHugeBytes, '\0')};
  }
  return {};
}

FakeRuntime::Outcome FakeRuntime::answer_of(const std::string& method, const std::string& request) {
  if (method == "Version") {
    wire::VersionResponse answer;
    answer.set_runtime_name("fake");
    answer.set_runtime_version(state_.version);
    return success(answer);
  }
  if (method == "StopPodSandbox") {
    return stop_sandbox(argument_of(method, request));
  }
  return method.starts_with("Remove") ? remove(method, request) : list(method, request);
}

FakeRuntime::Outcome FakeRuntime::list(const std::string& method,
                                       const std::string& request) const {
  if (method == "ListPodSandbox") {
    const auto wanted = parse<wire::ListPodSandboxRequest>(request).filter().label_selector();
    wire::ListPodSandboxResponse answer;
    for (const wire::PodSandbox& item : state_.sandboxes) {
      if (wanted.empty() || wanted.at("io.kubernetes.pod.uid") == item.metadata().uid()) {
        *answer.add_items() = item;
      }
    }
    return success(answer);
  }
  if (method == "ListContainers") {
    wire::ListContainersResponse answer;
    answer.mutable_containers()->Add(state_.containers.begin(), state_.containers.end());
    return success(answer);
  }
  if (method == "ContainerStatus") {
    return status_of(parse<wire::ContainerStatusRequest>(request));
  }
  if (method == "Status") {
    wire::StatusResponse answer;
    (*answer.mutable_info())["config"] = R"({"sandboxImage":")" + state_.sandbox_image + "\"}";
    return success(answer);
  }
  if (method == "ListContainerStats") {
    wire::ListContainerStatsResponse answer;
    answer.mutable_stats()->Add(state_.stats.begin(), state_.stats.end());
    return success(answer);
  }
  if (method == "ListImages") {
    wire::ListImagesResponse answer;
    answer.mutable_images()->Add(state_.images.begin(), state_.images.end());
    return success(answer);
  }
  if (method == "ImageFsInfo") {
    wire::ImageFsInfoResponse answer;
    answer.add_image_filesystems()->mutable_fs_id()->set_mountpoint(state_.image_place);
    if (!state_.container_place.empty()) {
      answer.add_container_filesystems()->mutable_fs_id()->set_mountpoint(state_.container_place);
    }
    return success(answer);
  }
  return failure(grpc::StatusCode::UNIMPLEMENTED, "no such method");
}

FakeRuntime::Outcome FakeRuntime::status_of(const wire::ContainerStatusRequest& request) const {
  for (const wire::Container& item : state_.containers) {
    if (item.id() == request.container_id()) {
      wire::ContainerStatusResponse answer;
      answer.mutable_status()->set_id(item.id());
      answer.mutable_status()->set_log_path("/logs/" + item.id());
      if (request.verbose()) {
        (*answer.mutable_info())["info"] =
            R"({"runtimeSpec":{"linux":{"cgroupsPath":"/pods/)" + item.id() + "\"}}}";
      }
      return success(answer);
    }
  }
  return failure(grpc::StatusCode::NOT_FOUND, "no such " + request.container_id());
}

FakeRuntime::Outcome FakeRuntime::remove(const std::string& method, const std::string& request) {
  const std::string id = argument_of(method, request);
  std::size_t removed = 0;
  if (method == "RemovePodSandbox") {
    removed = erase_id(state_.sandboxes, id);
  } else if (method == "RemoveContainer") {
    removed = erase_id(state_.containers, id);
  } else {
    removed = erase_id(state_.images, id);
  }
  return removed == 0 ? failure(grpc::StatusCode::NOT_FOUND, "no such " + id)
                      : success(wire::EmptyResponse());
}

FakeRuntime::Outcome FakeRuntime::stop_sandbox(const std::string& id) {
  for (wire::PodSandbox& item : state_.sandboxes) {
    if (item.id() == id) {
      item.set_state(wire::SANDBOX_NOTREADY);
      return success(wire::EmptyResponse());
    }
  }
  return failure(grpc::StatusCode::NOT_FOUND, "no such " + id);
}

wire::PodSandbox sandbox(const std::string& id, const std::string& uid, wire::PodSandboxState state,
                         std::int64_t created) {
  wire::PodSandbox made;
  made.set_id(id);
  made.mutable_metadata()->set_uid(uid);
  made.mutable_metadata()->set_namespace_("n");
  made.mutable_metadata()->set_name("pod-" + uid);
  made.set_state(state);
  made.set_created_at(created);
  return made;
}

wire::Container container(const std::string& id, const std::string& sandbox_id,
                          const std::string& uid, const std::string& name,
                          wire::ContainerState state, std::int64_t created) {
  wire::Container made;
  made.set_id(id);
  made.set_pod_sandbox_id(sandbox_id);
  made.mutable_metadata()->set_name(name);
  (*made.mutable_labels())["io.kubernetes.pod.uid"] = uid;
  (*made.mutable_labels())["io.kubernetes.container.name"] = name;
  made.set_state(state);
  made.set_created_at(created);
  return made;
}

}  // namespace evictd::cri::test
