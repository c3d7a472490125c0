// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstddef>
#include <cstring>
#include <memory>
#include <optional>
#include <utility>

namespace evictd::base {

/// A bounded queue from one thread to one other. Neither side ever waits or allocates: a full queue
/// refuses, and the writer counts what it could not say. What it has never held takes up no memory,
/// unless it is populated.
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

  /// Has every page of its storage in memory from now on. For a writer that must not wait for the
  /// kernel to find one: it would just when it has much to say, which is when memory is short. To
  /// be called while nobody uses the queue and it holds nothing.
  void populate() { std::memset(static_cast<void*>(slots_), 0, size_ * sizeof(T)); }

  /// Puts `item` at the end; false, with `item` untouched, when the queue is full.
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

  /// Takes the oldest item, if there is one.
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

  /// One slot stays empty, so that full and empty differ.
  std::size_t size_;
  /// Items live from the head to the tail; the rest is raw memory.
  T* slots_;
  /// Each side writes its own index; on lines of their own, so that they do not slow each other.
  alignas(64) std::atomic<std::size_t> head_{0};
  alignas(64) std::atomic<std::size_t> tail_{0};
};

}  // namespace evictd::base
