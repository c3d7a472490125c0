// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "base/timer.h"
#include "core/clock.h"
#include "cri/container_events.h"
#include "cri/evicted_pods.h"
#include "cri/image_ages.h"
#include "cri/runtime_client.h"
#include "cri/runtime_objects.h"
#include "evictd/result.h"

namespace evictd::cri {

/// State of the runtime, and counters of the worker's calls.
struct RuntimeReport {
  /// nullopt before the first answer.
  std::optional<RuntimeVersion> version;
  /// When the following members were last read.
  std::optional<MonoTime> polled_at;
  std::vector<Container> containers;
  /// By container id; a new container appears a moment later.
  std::map<std::string, ContainerDetails> details;
  std::vector<LayerUsage> layers;
  RuntimePlaces places;
  std::map<std::string, ImageAges::Age> image_ages;
  /// The current problem; empty if there is none.
  std::string problem;
  struct Counters {
    std::uint64_t polls = 0;
    std::uint64_t failed_polls = 0;
    std::uint64_t stopped_sandboxes = 0;
    /// Evicted pods that had no ready sandbox left.
    std::uint64_t ended_by_others = 0;
    std::uint64_t failed_stops = 0;
  } counters;
  EventsReport events;
  EvictedPods::Counters evicted;
  std::size_t waiting = 0;
};

/// Talks to a container runtime on its own thread, so that a hanging runtime blocks nothing else.
/// Stops the sandboxes of evicted pods. In between, it lists containers and images at an interval
/// and when the runtime reports an event.
/// Thread rule: any thread may call every member.
class RuntimeWorker {
 public:
  struct Options {
    RuntimeClient::Options client;
    Duration poll_interval = std::chrono::seconds(10);
    bool follows_events = true;
    /// Borrowed.
    const core::Clock* clock = nullptr;
  };

  /// Errors: those of eventfd(2).
  [[nodiscard]] static Result<std::unique_ptr<RuntimeWorker>> start(Options options);
  RuntimeWorker(const RuntimeWorker&) = delete;
  RuntimeWorker& operator=(const RuntimeWorker&) = delete;
  /// Cancels the call in progress.
  ~RuntimeWorker();

  /// Requests to stop the pod's sandboxes, once for each eviction. Never blocks.
  void end_pod(const EvictedPod& pod);
  [[nodiscard]] RuntimeReport report() const;
  /// Becomes readable when the report changes, until told() is called.
  [[nodiscard]] int descriptor() const { return changed_.descriptor(); }
  void told() const { changed_.consume(); }

 private:
  RuntimeWorker(Options options, base::WakeUp changed);
  void run();
  void poll();
  void queue_undescribed(const std::vector<Container>& containers);
  void describe_next();
  /// The runtime's state may have changed.
  void on_event();
  void follow_events();
  void end_sandboxes(const EvictedPod& pod);
  [[nodiscard]] Result<std::uint64_t> stop_all_of(const EvictedPod& pod);
  void set_problem(const Error& error);

  Options options_;
  base::WakeUp changed_;
  RuntimeClient client_;
  /// Used by the thread only.
  ImageAges ages_;
  std::map<std::string, ContainerDetails> details_;
  /// Ids of containers whose details are not read yet.
  std::deque<std::string> undescribed_;
  mutable std::mutex mutex_;
  std::condition_variable wake_;
  /// The mutex guards the following members.
  RuntimeReport report_;
  EvictedPods evicted_;
  bool is_stopping_ = false;
  bool has_news_ = false;
  /// Declared after the members that they use, so that those outlive them.
  std::unique_ptr<ContainerEvents> events_;
  std::thread thread_;
};

}  // namespace evictd::cri
