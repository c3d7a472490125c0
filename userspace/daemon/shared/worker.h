// SPDX-License-Identifier: Apache-2.0
// The shape of all worker threads: jobs in, answers out. Not for the hot thread, because it locks.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <limits>
#include <mutex>
#include <optional>
#include <string>
#include <system_error>
#include <thread>
#include <utility>

#include "base/timer.h"
#include "evictd/result.h"
#include "evictd/time.h"
#include "sys/thread_name.h"

namespace evictd::daemon {

/// The most jobs that may wait, and their bytes.
struct JobBounds {
  std::size_t jobs = std::numeric_limits<std::size_t>::max();
  std::uint64_t bytes = std::numeric_limits<std::uint64_t>::max();
};

/// A thread of ordinary priority and the jobs that wait for it. Its owner declares it after all
/// that the thread uses, so that the thread ends first.
/// Thread rule: the thread calls next(); any thread refused(), waiting() and ending(); the owner
/// the rest.
template <typename Job>
class Worker {
 public:
  explicit Worker(JobBounds bounds = {}) : bounds_(bounds) {}
  Worker(const Worker&) = delete;
  Worker& operator=(const Worker&) = delete;
  /// As end().
  ~Worker() { end(); }

  /// Starts the thread, which calls `work` once. Errors: as pthread_create(3).
  [[nodiscard]] Result<> start(const char* name, std::function<void()> work) {
    try {
      thread_ = std::thread([this, name, work = std::move(work)] {
        sys::name_thread(name);
        work();
        const std::lock_guard lock(mutex_);
        ended_ = true;
        changed_.notify_all();
      });
    } catch (const std::system_error& refused) {
      return fail_errno(refused.code().value(), std::string("start the thread ") + name);
    }
    return {};
  }

  /// Never waits for the thread. Returns false if the bounds refuse the job, which refused()
  /// counts.
  bool push(Job job, std::uint64_t bytes = 0) {
    const std::lock_guard lock(mutex_);
    if (jobs_.size() >= bounds_.jobs || bytes > bounds_.bytes - bytes_) {
      ++refused_;
      return false;
    }
    jobs_.emplace_back(std::move(job), bytes);
    bytes_ += bytes;
    changed_.notify_all();
    return true;
  }
  /// The job takes the place of all that wait.
  void replace(Job job) {
    const std::lock_guard lock(mutex_);
    jobs_.clear();
    jobs_.emplace_back(std::move(job), 0);
    bytes_ = 0;
    changed_.notify_all();
  }
  /// The oldest job, which no longer waits; the one before is done. Waits for one, at most `time`.
  /// nullopt: none came in time, or none is left at the end.
  [[nodiscard]] std::optional<Job> next(std::optional<Duration> time = std::nullopt) {
    std::unique_lock lock(mutex_);
    at_work_ = false;
    changed_.notify_all();
    const auto is_due = [this] { return ending_ || !jobs_.empty(); };
    if (time) {
      changed_.wait_for(lock, *time, is_due);
    } else {
      changed_.wait(lock, is_due);
    }
    if (jobs_.empty()) {
      return std::nullopt;
    }
    at_work_ = true;
    std::optional<Job> job(std::move(jobs_.front().first));
    bytes_ -= jobs_.front().second;
    jobs_.pop_front();
    return job;
  }

  /// Whether all jobs so far are done.
  [[nodiscard]] bool idle() const {
    const std::lock_guard lock(mutex_);
    return is_idle();
  }
  /// Waits for that, at most `time`. Returns whether it is so.
  [[nodiscard]] bool await_idle(Duration time) {
    std::unique_lock lock(mutex_);
    return changed_.wait_for(lock, time, [this] { return is_idle(); });
  }
  /// Jobs that wait, without the one at hand.
  [[nodiscard]] std::size_t waiting() const {
    const std::lock_guard lock(mutex_);
    return jobs_.size();
  }
  [[nodiscard]] std::uint64_t refused() const {
    const std::lock_guard lock(mutex_);
    return refused_;
  }

  /// Asks the thread to end.
  void request_end() {
    const std::lock_guard lock(mutex_);
    ending_ = true;
    changed_.notify_all();
  }
  /// Whether it was asked to. A thread that drops what still waits returns then.
  [[nodiscard]] bool ending() const {
    const std::lock_guard lock(mutex_);
    return ending_;
  }
  /// Ends the thread and waits for it.
  void end() {
    request_end();
    if (thread_.joinable()) {
      thread_.join();
    }
  }
  /// The same for a thread that may hang and shares the ownership of all that it uses: not back
  /// within `time`, it ends with the process.
  void end_or_abandon(Duration time) {
    request_end();
    std::unique_lock lock(mutex_);
    if (!changed_.wait_for(lock, time, [this] { return ended_; })) {
      thread_.detach();
    }
    lock.unlock();
    end();
  }

 private:
  [[nodiscard]] bool is_idle() const { return jobs_.empty() && !at_work_; }

  const JobBounds bounds_;
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  /// With their bytes.
  std::deque<std::pair<Job, std::uint64_t>> jobs_;
  std::uint64_t bytes_ = 0;
  std::uint64_t refused_ = 0;
  bool at_work_ = false;
  bool ending_ = false;
  bool ended_ = false;
  std::thread thread_;
};

/// Answers of a worker thread, with a descriptor for the loop of the thread that takes them.
/// Thread rule: push() from any thread, the rest is the taker's.
template <typename Answer>
class Answers {
 public:
  explicit Answers(base::WakeUp ready) : ready_(std::move(ready)) {}

  void push(Answer answer) {
    const std::lock_guard lock(mutex_);
    answers_.push_back(std::move(answer));
    ready_.signal();
  }
  /// The oldest answer; nullopt once all are taken.
  [[nodiscard]] std::optional<Answer> take() {
    const std::lock_guard lock(mutex_);
    if (answers_.empty()) {
      ready_.consume();
      return std::nullopt;
    }
    std::optional<Answer> answer(std::move(answers_.front()));
    answers_.pop_front();
    return answer;
  }
  /// Readable when there is an answer.
  [[nodiscard]] int descriptor() const { return ready_.descriptor(); }

 private:
  const base::WakeUp ready_;
  std::mutex mutex_;
  std::deque<Answer> answers_;
};

}  // namespace evictd::daemon
