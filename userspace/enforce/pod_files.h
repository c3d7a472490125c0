// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <string_view>

/// The small writes and reads of cgroup files that go with a signal; kept descriptors, no
/// allocation.
namespace evictd::enforce {

/// Writes `text` to a kept control file. False, and nothing done, for -1 or a refusal.
bool write_control(int fd, std::string_view text);
/// The way of write_control() to where the kernel reads the text, which it refuses: nothing
/// changes.
void practise_control(int fd);

/// What cgroup.events says.
enum class Populated { kYes, kNo, kGone };

/// Reads a kept cgroup.events, which also clears its EPOLLPRI. kGone once the cgroup is removed.
[[nodiscard]] Populated read_populated(int events_fd);

/// What pids.max said: "max" or a number. Empty when it could not be read.
class PidsMax {
 public:
  PidsMax() = default;
  /// Reads a kept pids.max.
  explicit PidsMax(int fd);
  /// As somebody else read it; empty for what is longer than any that there is.
  explicit PidsMax(std::string_view text);

  [[nodiscard]] std::string_view text() const { return {text_.data(), length_}; }
  /// The same without the end of its line.
  [[nodiscard]] std::string_view word() const;

 private:
  std::array<char, 24> text_{};
  std::size_t length_ = 0;
};

/// What pids.max of a pod said before evictd changed it, and what evictd made of it. Nothing while
/// it was not changed, or nobody knows what it said.
struct ForkHold {
  PidsMax before;
  PidsMax set;

  [[nodiscard]] bool in_force() const { return !before.text().empty(); }
};

/// pids.max at 0 while it lives, unless the caller keeps it so.
class ForkStop {
 public:
  /// `pids_max_fd` is a kept pids.max of a v1 pod, -1 for none. `before` is what it said right
  /// before; empty for not known.
  ForkStop(int pids_max_fd, const PidsMax& before);
  ForkStop(const ForkStop&) = delete;
  ForkStop& operator=(const ForkStop&) = delete;
  /// Writes back `before`, unless keep() was called.
  ~ForkStop();

  void keep() { keep_ = true; }

 private:
  int fd_;
  PidsMax before_;
  bool keep_ = false;
};

}  // namespace evictd::enforce
