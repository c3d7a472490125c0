// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cri/channel.h"
#include "cri/runtime_objects.h"
#include "evictd/result.h"
#include "evictd/time.h"

namespace evictd::cri {

/// evictd-kube's client for a container runtime's CRI socket. The first call finds out the version
/// of the interface: runtime.v1, or else runtime.v1alpha2. A missing method repeats that check.
/// | Every call blocks until its deadline at most. Errors: those of Channel::call(); kMalformed for
/// an answer that cannot be parsed.
/// Thread rule: one thread calls; any other thread may call cancel().
class RuntimeClient {
 public:
  struct Options {
    Channel::Options channel;
    Duration deadline = std::chrono::seconds(10);
    /// For calls that stop or remove something: a runtime unmounts, and calls its network plugins.
    Duration long_deadline = std::chrono::minutes(2);
  };

  explicit RuntimeClient(Options options);

  [[nodiscard]] Result<RuntimeVersion> version();
  /// All sandboxes, or those of one pod.
  [[nodiscard]] Result<std::vector<Sandbox>> list_sandboxes(
      const std::optional<std::string>& pod_uid = std::nullopt);
  [[nodiscard]] Result<std::vector<Container>> list_containers();
  [[nodiscard]] Result<std::vector<LayerUsage>> list_layers();
  [[nodiscard]] Result<ContainerDetails> details(const std::string& container_id);
  [[nodiscard]] Result<std::vector<Image>> list_images();
  [[nodiscard]] Result<RuntimePlaces> places();
  /// The image of the sandboxes; empty if the runtime does not report it. Runtimes that pin it do
  /// not.
  [[nodiscard]] Result<std::string> sandbox_image();
  /// Stops all that is left of the sandbox; succeeds if it is stopped already.
  [[nodiscard]] Result<> stop_sandbox(const std::string& id);
  [[nodiscard]] Result<> remove_sandbox(const std::string& id);
  [[nodiscard]] Result<> remove_container(const std::string& id);
  [[nodiscard]] Result<> remove_image(const std::string& id);

  /// The call in progress and every later one fail with kBusy.
  void cancel() { channel_.cancel(); }

 private:
  enum class Service { kRuntime, kImage };
  struct Question {
    Service service = Service::kRuntime;
    const char* method = "";
    Duration deadline{};
  };
  [[nodiscard]] Result<std::string> ask(const Question& question, const std::string& request);
  [[nodiscard]] Result<std::string> call_known_api(const Question& question,
                                                   const std::string& request);
  /// Sends the request and parses the answer as a `Response`.
  template <typename Response, typename Request>
  [[nodiscard]] Result<Response> exchange(const Question& question, const Request& request);
  [[nodiscard]] Result<> find_api();
  [[nodiscard]] Question list(const char* method, Service service = Service::kRuntime) const;
  [[nodiscard]] Question change(const char* method, Service service = Service::kRuntime) const;

  Options options_;
  Channel channel_;
  /// "v1" or "v1alpha2"; empty while unknown.
  std::string api_;
};

}  // namespace evictd::cri
