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

/// What is known of the runtime, and what was done with it.
struct RuntimeReport {
  /// Empty before the first answer.
  std::optional<RuntimeVersion> version;
  /// When all of the following was last true.
  std::optional<MonoTime> polled_at;
  std::vector<Container> containers;
  /// By the id of the container; of a new one a moment later.
  std::map<std::string, ContainerDetails> details;
  std::vector<LayerUsage> layers;
  RuntimePlaces places;
  std::map<std::string, ImageAges::Age> image_ages;
  /// What is wrong now; empty for nothing.
  std::string problem;
  struct Counters {
    std::uint64_t polls = 0;
    std::uint64_t failed_polls = 0;
    std::uint64_t stopped_sandboxes = 0;
    /// Evicted pods of which no sandbox was ready any more.
    std::uint64_t ended_by_others = 0;
    std::uint64_t failed_stops = 0;
  } counters;
  EventsReport events;
  EvictedPods::Counters evicted;
  std::size_t waiting = 0;
};

/// Asks a container runtime on a thread of its own, so that one that hangs holds up nothing else:
/// ends the sandboxes of evicted pods, and looks at containers and images between that, at times
/// and when the runtime tells of an event.
/// Thread rule: every member may be called by any thread.
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
  /// Breaks off what is under way.
  ~RuntimeWorker();

  /// Has the sandboxes of the pod ended, once an eviction. Never waits.
  void end_pod(const EvictedPod& pod);
  [[nodiscard]] RuntimeReport report() const;
  /// Ready for reading after the report has changed, until told() is called.
  [[nodiscard]] int descriptor() const { return changed_.descriptor(); }
  void told() const { changed_.consume(); }

 private:
  RuntimeWorker(Options options, base::WakeUp changed);
  void run();
  void poll();
  void note_undescribed(const std::vector<Container>& containers);
  void describe_next();
  /// Something may have changed in the runtime.
  void on_event();
  void follow_events();
  void end_sandboxes(const EvictedPod& pod);
  [[nodiscard]] Result<std::uint64_t> stop_all_of(const EvictedPod& pod);
  void note_failure(const Error& error);

  Options options_;
  base::WakeUp changed_;
  RuntimeClient client_;
  /// The thread's own.
  ImageAges ages_;
  std::map<std::string, ContainerDetails> details_;
  /// Ids of containers of which nothing but the list is known.
  std::deque<std::string> undescribed_;
  mutable std::mutex mutex_;
  std::condition_variable wake_;
  /// The following are guarded by the mutex.
  RuntimeReport report_;
  EvictedPods evicted_;
  bool is_stopping_ = false;
  bool has_news_ = false;
  /// After what they use, so that it is there as long as they run.
  std::unique_ptr<ContainerEvents> events_;
  std::thread thread_;
};

}  // namespace evictd::cri
