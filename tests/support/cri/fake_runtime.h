// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "runtime.pb.h"

namespace evictd::cri::test {

/// State of a fake runtime; requests change it.
struct RuntimeState {
  std::vector<wire::PodSandbox> sandboxes;
  std::vector<wire::Container> containers;
  std::vector<wire::ContainerStats> stats;
  std::vector<wire::Image> images;
  std::string image_place = "/";
  std::string container_place;
  /// Whether it reports events.
  bool has_events = false;
  std::string version = "1";
  std::string sandbox_image = "registry/sandbox:1";
};

/// How a method fails.
enum class Fault {
  kUnavailable,    ///< gRPC's status of that name.
  kUnimplemented,  ///< gRPC's status of that name.
  kHang,           ///< No answer until the caller times out.
  kGarbage,        ///< Bytes that are no message.
  kHuge,           ///< 32 KiB.
};

/// A container runtime as its clients see it, on its own unix socket. Any thread may call every
/// member.
class FakeRuntime {
 public:
  /// `apis`: the versions of the interface that it supports.
  explicit FakeRuntime(const std::filesystem::path& socket, std::set<std::string> apis = {"v1"});
  FakeRuntime(const FakeRuntime&) = delete;
  FakeRuntime& operator=(const FakeRuntime&) = delete;
  ~FakeRuntime();

  /// Changes its state.
  template <typename Change>
  void change(Change change) {
    const std::lock_guard lock(mutex_);
    change(state_);
  }
  [[nodiscard]] RuntimeState state() const;
  /// Applies to every later call of `method`; nullopt: no fault any more.
  void set_fault(const std::string& method, std::optional<Fault> fault);
  /// "METHOD ARGUMENT" of each call so far that changed something or failed to.
  [[nodiscard]] std::vector<std::string> changes() const;
  /// Number of calls of a method, in any version.
  [[nodiscard]] int calls(const std::string& method) const;

  /// Number of clients that follow its events now.
  [[nodiscard]] std::size_t listeners() const;
  /// Send to all of them: an event, any message, the end of the stream.
  void tell_event(const std::string& container);
  void tell(const std::string& message);
  void end_streams();

  /// Result of one call, for the server.
  struct Outcome {
    int code = 0;
    std::string message;
    std::string answer;
    bool hangs = false;
    bool streams = false;
  };
  [[nodiscard]] Outcome serve(const std::string& path, const std::string& request);

 private:
  class Reactor;
  class Service;
  void add_listener(Reactor* reactor);
  void remove_listener(Reactor* reactor);
  [[nodiscard]] Outcome status_of(const wire::ContainerStatusRequest& request) const;
  [[nodiscard]] Outcome answer_of(const std::string& method, const std::string& request);
  [[nodiscard]] Outcome list(const std::string& method, const std::string& request) const;
  [[nodiscard]] Outcome remove(const std::string& method, const std::string& request);
  [[nodiscard]] Outcome stop_sandbox(const std::string& id);

  mutable std::mutex mutex_;
  RuntimeState state_;
  std::set<std::string> apis_;
  std::map<std::string, Fault> faults_;
  std::vector<std::string> changes_;
  std::map<std::string, int> calls_;
  std::set<Reactor*> listeners_;
  std::unique_ptr<Service> service_;
};

[[nodiscard]] wire::PodSandbox sandbox(const std::string& id, const std::string& uid,
                                       wire::PodSandboxState state, std::int64_t created = 1);
[[nodiscard]] wire::Container container(const std::string& id, const std::string& sandbox_id,
                                        const std::string& uid, const std::string& name,
                                        wire::ContainerState state, std::int64_t created = 1);

}  // namespace evictd::cri::test
