// SPDX-License-Identifier: Apache-2.0
#include "cri/channel.h"

#include <grpcpp/create_channel.h>
#include <grpcpp/generic/generic_stub.h>
#include <grpcpp/grpcpp.h>

#include <cstddef>
#include <mutex>
#include <utility>
#include <vector>

namespace evictd::cri {

namespace {

/// Bytes of a runtime's error message that are kept.
constexpr std::size_t kLongestMessage = 512;
/// Finds a restarted runtime soon.
constexpr int kMaxReconnectBackoffMs = 2000;
constexpr int kFirstReconnectBackoffMs = 100;
/// The time limit of one attempt to connect is gRPC's "minimum backoff".
constexpr int kConnectTimeoutMs = 5000;

std::shared_ptr<grpc::Channel> make_channel(const Channel::Options& options) {
  grpc::ChannelArguments arguments;
  arguments.SetMaxReceiveMessageSize(options.max_answer_bytes);
  arguments.SetInt(GRPC_ARG_INITIAL_RECONNECT_BACKOFF_MS, kFirstReconnectBackoffMs);
  arguments.SetInt(GRPC_ARG_MIN_RECONNECT_BACKOFF_MS, kConnectTimeoutMs);
  arguments.SetInt(GRPC_ARG_MAX_RECONNECT_BACKOFF_MS, kMaxReconnectBackoffMs);
  arguments.SetInt(GRPC_ARG_ENABLE_HTTP_PROXY, 0);
  // Servers in Go refuse a socket path as a host name.
  arguments.SetString(GRPC_ARG_DEFAULT_AUTHORITY, "localhost");
  return grpc::CreateCustomChannel("unix:" + options.socket, grpc::InsecureChannelCredentials(),
                                   arguments);
}

grpc::ByteBuffer buffer_of(const std::string& bytes) {
  const grpc::Slice slice(bytes);
  return {&slice, 1};
}

std::string bytes_of(const grpc::ByteBuffer& buffer) {
  std::vector<grpc::Slice> slices;
  std::string bytes;
  if (!buffer.Dump(&slices).ok()) {
    return bytes;
  }
  bytes.reserve(buffer.Length());
  for (const grpc::Slice& slice : slices) {
    bytes.append(reinterpret_cast<const char*>(slice.begin()), slice.size());
  }
  return bytes;
}

gpr_timespec deadline_after(Duration duration) {
  return gpr_time_add(gpr_now(GPR_CLOCK_MONOTONIC),
                      gpr_time_from_nanos(duration.count(), GPR_TIMESPAN));
}

Errc code_of(const grpc::Status& status) {
  switch (status.error_code()) {
    case grpc::StatusCode::UNIMPLEMENTED:
      return Errc::kUnsupported;
    case grpc::StatusCode::NOT_FOUND:
      return Errc::kNotFound;
    case grpc::StatusCode::DEADLINE_EXCEEDED:
      return Errc::kTimedOut;
    case grpc::StatusCode::CANCELLED:
      return Errc::kBusy;
    case grpc::StatusCode::RESOURCE_EXHAUSTED:
      return Errc::kExhausted;
    case grpc::StatusCode::PERMISSION_DENIED:
      return Errc::kPermission;
    default:
      return Errc::kIo;
  }
}

Failure failure_of(const std::string& method, const grpc::Status& status) {
  const std::string name = method.substr(method.rfind('/') + 1);
  return fail(code_of(status), name + ": " + status.error_message().substr(0, kLongestMessage));
}

/// Whether the last started operation succeeded; cancel() ends the wait.
bool await_step(grpc::CompletionQueue& queue) {
  void* tag = nullptr;
  bool has_succeeded = false;
  return queue.Next(&tag, &has_succeeded) && has_succeeded;
}

}  // namespace

struct Channel::Connection {
  explicit Connection(const Options& options)
      : socket(options.socket), stub(make_channel(options)) {}

  std::string socket;
  grpc::GenericStub stub;
  std::mutex mutex;
  /// The mutex guards both.
  grpc::ClientContext* current = nullptr;
  bool is_cancelled = false;
};

/// The call that cancel() aborts.
class Channel::CallInProgress {
 public:
  CallInProgress(Connection& connection, grpc::ClientContext& context) : connection_(connection) {
    const std::lock_guard lock(connection_.mutex);
    if (!connection_.is_cancelled) {
      connection_.current = &context;
      has_begun_ = true;
    }
  }
  CallInProgress(const CallInProgress&) = delete;
  CallInProgress& operator=(const CallInProgress&) = delete;
  ~CallInProgress() {
    const std::lock_guard lock(connection_.mutex);
    connection_.current = nullptr;
  }

  [[nodiscard]] bool has_begun() const { return has_begun_; }
  [[nodiscard]] static Failure refusal() {
    return fail(Errc::kBusy, "calls to the runtime were cancelled");
  }

 private:
  Connection& connection_;
  bool has_begun_ = false;
};

Channel::Channel(const Options& options) : connection_(std::make_unique<Connection>(options)) {}

Channel::~Channel() = default;

Result<std::string> Channel::call(const Call& call) {
  grpc::ClientContext context;
  context.set_deadline(deadline_after(call.deadline));
  const CallInProgress in_progress(*connection_, context);
  if (!in_progress.has_begun()) {
    return CallInProgress::refusal();
  }
  grpc::CompletionQueue queue;
  grpc::ByteBuffer answer;
  grpc::Status status;
  const auto reader =
      connection_->stub.PrepareUnaryCall(&context, call.method, buffer_of(call.request), &queue);
  reader->StartCall();
  reader->Finish(&answer, &status, nullptr);
  // Ends with the call, which has a deadline.
  await_step(queue);
  if (!status.ok()) {
    return fail_in("ask the container runtime at " + connection_->socket,
                   failure_of(call.method, status).value());
  }
  return bytes_of(answer);
}

Result<> Channel::follow(const Call& call, const std::function<void()>& on_sent,
                         const std::function<bool(const std::string&)>& on_message) {
  grpc::ClientContext context;
  const CallInProgress in_progress(*connection_, context);
  if (!in_progress.has_begun()) {
    return CallInProgress::refusal();
  }
  grpc::CompletionQueue queue;
  const auto stream = connection_->stub.PrepareCall(&context, call.method, &queue);
  stream->StartCall(nullptr);
  bool goes_on = await_step(queue);
  if (goes_on) {
    stream->WriteLast(buffer_of(call.request), grpc::WriteOptions(), nullptr);
    goes_on = await_step(queue);
  }
  if (goes_on) {
    on_sent();
  }
  grpc::ByteBuffer message;
  while (goes_on) {
    stream->Read(&message, nullptr);
    goes_on = await_step(queue);
    if (goes_on && !on_message(bytes_of(message))) {
      context.TryCancel();
      goes_on = false;
    }
  }
  grpc::Status status;
  stream->Finish(&status, nullptr);
  await_step(queue);
  return status.ok() ? Result<>()
                     : fail_in("follow the container runtime at " + connection_->socket,
                               failure_of(call.method, status).value());
}

void Channel::cancel() {
  const std::lock_guard lock(connection_->mutex);
  connection_->is_cancelled = true;
  if (connection_->current != nullptr) {
    connection_->current->TryCancel();
  }
}

}  // namespace evictd::cri
