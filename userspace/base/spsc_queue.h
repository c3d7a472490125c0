// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstddef>
#include <cstring>
#include <memory>
#include <optional>
#include <utility>

namespace evictd::base {

/// A bounded queue from one thread to another. Neither side waits or allocates: push() fails if the
/// queue is full, and the writer counts the items that it drops. Slots that were never used take up
/// no memory, except after populate().
/// Thread rule: push() from one thread, pop() from one thread.
template <typename T>
class SpscQueue {
 public:
  /// Holds up to `capacity` items.
  explicit SpscQueue(std::size_t capacity)
      : size_(capacity + 1), slots_(std::allocator<T>().allocate(size_)) {}
  SpscQueue(const SpscQueue&) = delete;
  SpscQueue& operator=(const SpscQueue&) = delete;
  ~SpscQueue() {
    while (pop()) {
    }
    std::allocator<T>().deallocate(slots_, size_);
  }

  /// Makes every page of the storage resident. For a writer that must not wait for a page fault: it
  /// writes most when memory is short. Call it while the queue is empty and unused.
  void populate() { std::memset(static_cast<void*>(slots_), 0, size_ * sizeof(T)); }

  /// Appends `item`. Returns false and leaves `item` untouched if the queue is full.
  [[nodiscard]] bool push(T&& item) {
    const std::size_t tail = tail_.load(std::memory_order_relaxed);
    const std::size_t next = after(tail);
    if (next == head_.load(std::memory_order_acquire)) {
      return false;
    }
    std::construct_at(slots_ + tail, std::move(item));
    tail_.store(next, std::memory_order_release);
    return true;
  }

  /// Removes and returns the oldest item; nullopt if the queue is empty.
  [[nodiscard]] std::optional<T> pop() {
    const std::size_t head = head_.load(std::memory_order_relaxed);
    std::optional<T> item;
    if (head != tail_.load(std::memory_order_acquire)) {
      item.emplace(std::move(slots_[head]));
      std::destroy_at(slots_ + head);
      head_.store(after(head), std::memory_order_release);
    }
    return item;
  }

 private:
  [[nodiscard]] std::size_t after(std::size_t index) const {
    return index + 1 == size_ ? 0 : index + 1;
  }

  /// One slot stays empty to tell full from empty.
  std::size_t size_;
  /// Slots from head to tail hold items; the rest is raw memory.
  T* slots_;
  /// Each side writes its own index. Separate cache lines avoid false sharing.
  alignas(64) std::atomic<std::size_t> head_{0};
  alignas(64) std::atomic<std::size_t> tail_{0};
};

}  // namespace evictd::base
