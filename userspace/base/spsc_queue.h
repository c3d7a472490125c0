// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstddef>
#include <optional>
#include <utility>
#include <vector>

namespace evictd::base {

/// A bounded queue from one thread to one other. Neither side ever waits or allocates: a full queue
/// refuses, and the writer counts what it could not say.
/// Thread rule: push() from one thread, pop() from one thread.
template <typename T>
class SpscQueue {
 public:
  /// Holds up to `capacity` items.
  explicit SpscQueue(std::size_t capacity) : slots_(capacity + 1) {}

  /// Puts `item` at the end; false, with `item` untouched, when the queue is full.
  [[nodiscard]] bool push(T&& item) {
    const std::size_t tail = tail_.load(std::memory_order_relaxed);
    const std::size_t next = after(tail);
    if (next == head_.load(std::memory_order_acquire)) {
      return false;
    }
    slots_[tail] = std::move(item);
    tail_.store(next, std::memory_order_release);
    return true;
  }

  /// Takes the oldest item, if there is one.
  [[nodiscard]] std::optional<T> pop() {
    const std::size_t head = head_.load(std::memory_order_relaxed);
    std::optional<T> item;
    if (head != tail_.load(std::memory_order_acquire)) {
      item.emplace(std::move(slots_[head]));
      head_.store(after(head), std::memory_order_release);
    }
    return item;
  }

 private:
  [[nodiscard]] std::size_t after(std::size_t index) const {
    return index + 1 == slots_.size() ? 0 : index + 1;
  }

  /// One slot stays empty, so that full and empty differ.
  std::vector<T> slots_;
  /// Each side writes its own index; on lines of their own, so that they do not slow each other.
  alignas(64) std::atomic<std::size_t> head_{0};
  alignas(64) std::atomic<std::size_t> tail_{0};
};

}  // namespace evictd::base
