// SPDX-License-Identifier: Apache-2.0
#include "cri/runtime_worker.h"

#include <algorithm>
#include <utility>

#include "evictd/try.h"
#include "sys/thread_name.h"

namespace evictd::cri {

namespace {

/// Minimum distance of two lists that events trigger: a starting pod causes several events within
/// milliseconds.
constexpr Duration kEventInterval = std::chrono::milliseconds(200);

}  // namespace

Result<std::unique_ptr<RuntimeWorker>> RuntimeWorker::start(Options options) {
  EVICTD_ASSIGN_OR_RETURN(base::WakeUp changed, base::WakeUp::create());
  std::unique_ptr<RuntimeWorker> worker(new RuntimeWorker(std::move(options), std::move(changed)));
  worker->follow_events();
  worker->thread_ = std::thread([raw = worker.get()] { raw->run(); });
  return worker;
}

RuntimeWorker::RuntimeWorker(Options options, base::WakeUp changed)
    : options_(std::move(options)), changed_(std::move(changed)), client_(options_.client) {}

void RuntimeWorker::follow_events() {
  if (options_.follows_events) {
    events_ = std::make_unique<ContainerEvents>(
        ContainerEvents::Options{.channel = options_.client.channel,
                                 .on_event = [this] { on_event(); },
                                 .on_changed = [this] { changed_.signal(); }});
  }
}

void RuntimeWorker::on_event() {
  {
    const std::lock_guard lock(mutex_);
    has_news_ = true;
  }
  wake_.notify_all();
}

RuntimeWorker::~RuntimeWorker() {
  {
    const std::lock_guard lock(mutex_);
    is_stopping_ = true;
  }
  client_.cancel();
  wake_.notify_all();
  thread_.join();
}

void RuntimeWorker::end_pod(const EvictedPod& pod) {
  {
    const std::lock_guard lock(mutex_);
    evicted_.add(pod, options_.clock->now());
  }
  wake_.notify_all();
}

RuntimeReport RuntimeWorker::report() const {
  const std::lock_guard lock(mutex_);
  RuntimeReport report = report_;
  report.evicted = evicted_.counters();
  report.waiting = evicted_.waiting();
  report.events = events_ ? events_->report() : EventsReport{};
  return report;
}

void RuntimeWorker::run() {
  sys::name_thread("evictd-runtime");
  MonoTime polled = options_.clock->now() - options_.poll_interval;
  std::unique_lock lock(mutex_);
  while (!is_stopping_) {
    const MonoTime now = options_.clock->now();
    const std::optional<EvictedPod> pod = evicted_.next(now);
    const Duration interval =
        has_news_ ? std::min(kEventInterval, options_.poll_interval) : options_.poll_interval;
    const MonoTime next_poll = polled + interval;
    const bool polls = !pod && now >= next_poll;
    if (!pod && !polls && undescribed_.empty()) {
      const MonoTime until = std::min(next_poll, evicted_.due().value_or(next_poll));
      wake_.wait_for(lock, until - now);
      continue;
    }
    has_news_ = has_news_ && !polls;
    lock.unlock();
    if (pod) {
      end_sandboxes(*pod);
    } else if (polls) {
      poll();
      polled = options_.clock->now();
    } else {
      describe_next();
    }
    changed_.signal();
    lock.lock();
  }
}

void RuntimeWorker::set_problem(const Error& error) {
  report_.problem = error.message();
}

void RuntimeWorker::poll() {
  const Result<RuntimeVersion> version = client_.version();
  const auto containers = version ? client_.list_containers()
                                  : Result<std::vector<Container>>(Failure(version.error()));
  const auto images =
      containers ? client_.list_images() : Result<std::vector<Image>>(Failure(containers.error()));
  if (!images) {
    const std::lock_guard lock(mutex_);
    ++report_.counters.failed_polls;
    set_problem(images.error());
    return;
  }
  // A runtime may lack these; the rest is still useful.
  Result<std::vector<LayerUsage>> layers = client_.list_layers();
  const Result<RuntimePlaces> places = client_.places();
  const MonoTime now = options_.clock->now();
  ages_.update(*images, *containers, now);
  queue_undescribed(*containers);
  const std::lock_guard lock(mutex_);
  ++report_.counters.polls;
  const bool is_other = report_.version && *report_.version != *version;
  if (is_other && events_) {
    events_->on_other_runtime();
  }
  report_.version = *version;
  report_.polled_at = now;
  report_.containers = *containers;
  report_.details = details_;
  report_.layers = layers ? std::move(*layers) : std::vector<LayerUsage>();
  report_.places = places.value_or(RuntimePlaces{});
  report_.image_ages = ages_.ages();
  report_.problem.clear();
}

void RuntimeWorker::queue_undescribed(const std::vector<Container>& containers) {
  std::map<std::string, ContainerDetails> left;
  undescribed_.clear();
  for (const Container& container : containers) {
    if (auto known = details_.extract(container.id); !known.empty()) {
      left.insert(std::move(known));
    } else {
      undescribed_.push_back(container.id);
    }
  }
  details_ = std::move(left);
}

/// Reads one container at a time, so that an evicted pod waits for one answer at most.
void RuntimeWorker::describe_next() {
  const std::string id = std::move(undescribed_.front());
  undescribed_.pop_front();
  const Result<ContainerDetails> details = client_.details(id);
  const bool is_answered = details || details.error().code == Errc::kNotFound ||
                           details.error().code == Errc::kUnsupported;
  if (!is_answered) {
    undescribed_.clear();  // The rest is read after the next list.
    return;
  }
  const ContainerDetails known = details.value_or(ContainerDetails{});
  details_.emplace(id, known);
  const std::lock_guard lock(mutex_);
  report_.details.emplace(id, known);
}

Result<std::uint64_t> RuntimeWorker::stop_all_of(const EvictedPod& pod) {
  EVICTD_ASSIGN_OR_RETURN(const std::vector<Sandbox> sandboxes, client_.list_sandboxes(pod.uid));
  std::uint64_t stopped = 0;
  for (const Sandbox& sandbox : sandboxes) {
    const bool is_meant = sandbox.pod_uid == pod.uid && sandbox.created <= pod.seen_at;
    if (!is_meant || sandbox.state != SandboxState::kReady) {
      continue;
    }
    if (Result<> done = client_.stop_sandbox(sandbox.id);
        !done && done.error().code != Errc::kNotFound) {
      return fail_in("stop sandbox " + sandbox.id + " of pod " + sandbox.pod, done.error());
    }
    ++stopped;
  }
  return stopped;
}

void RuntimeWorker::end_sandboxes(const EvictedPod& pod) {
  const Result<std::uint64_t> stopped = stop_all_of(pod);
  const std::lock_guard lock(mutex_);
  if (!stopped) {
    ++report_.counters.failed_stops;
    set_problem(stopped.error());
    evicted_.failed(pod, options_.clock->now());
    return;
  }
  report_.counters.stopped_sandboxes += *stopped;
  report_.counters.ended_by_others += *stopped == 0 ? 1 : 0;
  evicted_.succeeded(pod);
}

}  // namespace evictd::cri
