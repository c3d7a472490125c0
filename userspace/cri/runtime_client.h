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

/// What evictd-kube asks of a container runtime by its CRI socket. Which version of the interface
/// the runtime speaks is found out by the first call, and again where a method is missing:
/// runtime.v1, or else runtime.v1alpha2.
///
/// Every call waits, at most for its deadline. Errors: those of Channel::call(); kMalformed for an
/// answer that is none.
/// Thread rule: one thread calls; cancel() may be called by any other.
class RuntimeClient {
 public:
  struct Options {
    Channel::Options channel;
    Duration deadline = std::chrono::seconds(10);
    /// Of what ends or removes something: a runtime unmounts, and asks its network plugins.
    Duration long_deadline = std::chrono::minutes(2);
  };

  explicit RuntimeClient(Options options);

  [[nodiscard]] Result<RuntimeVersion> version();
  /// All of them, or those of one pod.
  [[nodiscard]] Result<std::vector<Sandbox>> list_sandboxes(
      const std::optional<std::string>& pod_uid = std::nullopt);
  [[nodiscard]] Result<std::vector<Container>> list_containers();
  [[nodiscard]] Result<std::vector<LayerUsage>> list_layers();
  [[nodiscard]] Result<ContainerDetails> details(const std::string& container_id);
  [[nodiscard]] Result<std::vector<Image>> list_images();
  [[nodiscard]] Result<RuntimePlaces> places();
  /// The image that sandboxes are made of; empty where the runtime does not tell, as those do that
  /// pin it.
  [[nodiscard]] Result<std::string> sandbox_image();
  /// Ends what is left of it; that of one that is stopped already is a success.
  [[nodiscard]] Result<> stop_sandbox(const std::string& id);
  [[nodiscard]] Result<> remove_sandbox(const std::string& id);
  [[nodiscard]] Result<> remove_container(const std::string& id);
  [[nodiscard]] Result<> remove_image(const std::string& id);

  /// The call under way fails with kBusy, and so does every later one.
  void cancel() { channel_.cancel(); }

 private:
  enum class Service { kRuntime, kImage };
  struct Question {
    Service service = Service::kRuntime;
    const char* method = "";
    Duration deadline{};
  };
  [[nodiscard]] Result<std::string> ask(const Question& question, const std::string& request);
  [[nodiscard]] Result<std::string> ask_as_known(const Question& question,
                                                 const std::string& request);
  /// Asks, and reads the answer as a `Response`.
  template <typename Response, typename Request>
  [[nodiscard]] Result<Response> exchange(const Question& question, const Request& request);
  [[nodiscard]] Result<> find_api();
  [[nodiscard]] Question list(const char* method, Service service = Service::kRuntime) const;
  [[nodiscard]] Question change(const char* method, Service service = Service::kRuntime) const;

  Options options_;
  Channel channel_;
  /// "v1" or "v1alpha2"; empty while that is not known.
  std::string api_;
};

}  // namespace evictd::cri
