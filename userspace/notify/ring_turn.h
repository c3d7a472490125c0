// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cerrno>

namespace evictd::notify {

/// How much is taken from a ring of the kernel at a time. Records that come as fast as they are
/// taken would otherwise keep their reader from telling anybody of those that it has. What is left
/// keeps the ring readable: the kernel says so as long as there is anything in it.
class RingTurn {
 public:
  /// Where each wakes few, some tens of microseconds; more than the ring of pressure holds. One
  /// record may be about a thousand registrations: then the reader has enough before.
  static constexpr int kRecords = 256;

  void begin() {
    taken_ = 0;
    cut_ = false;
  }
  /// What the callback returns of each record: negative ends ring_buffer__consume(), which has
  /// moved past this record by then. `enough`: its reader wants no more.
  /// Source: libbpf, ringbuf_process_ring().
  [[nodiscard]] int take(bool enough = false) {
    cut_ = ++taken_ >= kRecords || enough;
    return cut_ ? -EAGAIN : 0;
  }
  /// Whether there may be more than what was taken.
  [[nodiscard]] bool is_cut() const { return cut_; }

 private:
  int taken_ = 0;
  bool cut_ = false;
};

}  // namespace evictd::notify
