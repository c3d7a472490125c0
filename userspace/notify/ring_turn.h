// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cerrno>

namespace evictd::notify {

/// Limits how many records are read from a kernel ring at a time. Otherwise records that arrive as
/// fast as they are read would keep the reader from signalling anybody. The ring stays readable
/// while the kernel has records in it.
class RingTurn {
 public:
  /// Takes some tens of microseconds if each record wakes few listeners; exceeds what the pressure
  /// ring holds. One record may concern about a thousand registrations: the reader then stops
  /// earlier.
  static constexpr int kRecords = 256;

  void begin() {
    taken_ = 0;
    cut_ = false;
  }
  /// The callback's return value for each record. A negative one ends ring_buffer__consume(), which
  /// has consumed this record by then. `enough`: the reader wants no more.
  /// Source: libbpf, ringbuf_process_ring().
  [[nodiscard]] int take(bool enough = false) {
    cut_ = ++taken_ >= kRecords || enough;
    return cut_ ? -EAGAIN : 0;
  }
  /// Whether unread records may remain.
  [[nodiscard]] bool is_cut() const { return cut_; }

 private:
  int taken_ = 0;
  bool cut_ = false;
};

}  // namespace evictd::notify
