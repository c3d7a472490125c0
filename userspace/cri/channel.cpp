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

/// Of what a runtime says of an error.
constexpr std::size_t kLongestMessage = 512;
/// A runtime that was restarted is found again soon.
constexpr int kMaxReconnectBackoffMs = 2000;
constexpr int kFirstReconnectBackoffMs = 100;
/// gRPC's minimum of this name is how long one attempt to connect may take.
constexpr int kConnectTimeoutMs = 5000;

std::shared_ptr<grpc::Channel> make_channel(const Channel::Options& options) {
  grpc::ChannelArguments arguments;
  arguments.SetMaxReceiveMessageSize(options.max_answer_bytes);
  arguments.SetInt(GRPC_ARG_INITIAL_RECONNECT_BACKOFF_MS, kFirstReconnectBackoffMs);
  arguments.SetInt(GRPC_ARG_MIN_RECONNECT_BACKOFF_MS, kConnectTimeoutMs);
  arguments.SetInt(GRPC_ARG_MAX_RECONNECT_BACKOFF_MS, kMaxReconnectBackoffMs);
  arguments.SetInt(GRPC_ARG_ENABLE_HTTP_PROXY, 0);
  // Servers in Go refuse the path of a socket as the name of a host.
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

}  // namespace

struct Channel::Connection {
  explicit Connection(const Options& options)
      : socket(options.socket), stub(make_channel(options)) {}

  std::string socket;
  grpc::GenericStub stub;
  std::mutex mutex;
  /// Both guarded by the mutex.
  grpc::ClientContext* current = nullptr;
  bool is_cancelled = false;
};

Channel::Channel(const Options& options) : connection_(std::make_unique<Connection>(options)) {}

Channel::~Channel() = default;

Result<std::string> Channel::call(const Call& call) {
  grpc::ClientContext context;
  context.set_deadline(deadline_after(call.deadline));
  {
    const std::lock_guard lock(connection_->mutex);
    if (connection_->is_cancelled) {
      return fail(Errc::kBusy, "the runtime is not asked any more");
    }
    connection_->current = &context;
  }
  grpc::CompletionQueue queue;
  grpc::ByteBuffer answer;
  grpc::Status status;
  const auto reader =
      connection_->stub.PrepareUnaryCall(&context, call.method, buffer_of(call.request), &queue);
  reader->StartCall();
  reader->Finish(&answer, &status, nullptr);
  void* tag = nullptr;
  bool is_whole = false;
  // Ends with the call, which has a deadline.
  queue.Next(&tag, &is_whole);
  {
    const std::lock_guard lock(connection_->mutex);
    connection_->current = nullptr;
  }
  if (!status.ok()) {
    return fail_in("ask the container runtime at " + connection_->socket,
                   failure_of(call.method, status).value());
  }
  return bytes_of(answer);
}

void Channel::cancel() {
  const std::lock_guard lock(connection_->mutex);
  connection_->is_cancelled = true;
  if (connection_->current != nullptr) {
    connection_->current->TryCancel();
  }
}

}  // namespace evictd::cri
