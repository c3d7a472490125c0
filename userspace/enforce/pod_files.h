// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <string_view>

/// The small writes and reads of cgroup files that go with a signal; kept descriptors, no
/// allocation.
namespace evictd::enforce {

/// Writes `text` to a kept control file. False, without effect, for -1 or a refusal.
bool write_control(int fd, std::string_view text);
/// Runs the code path of write_control() up to the kernel's parsing of the text, which fails:
/// nothing changes.
void practise_control(int fd);

/// The field "populated" of cgroup.events.
enum class Populated { kYes, kNo, kGone };

/// Reads a kept cgroup.events, which also clears its EPOLLPRI. kGone once the cgroup is removed.
[[nodiscard]] Populated read_populated(int events_fd);

/// A content of pids.max: "max" or a number. Empty if it could not be read.
class PidsMax {
 public:
  PidsMax() = default;
  /// Reads a kept pids.max.
  explicit PidsMax(int fd);
  /// From a text; empty if it is longer than any valid content.
  explicit PidsMax(std::string_view text);

  [[nodiscard]] std::string_view text() const { return {text_.data(), length_}; }
  /// text() without the line end.
  [[nodiscard]] std::string_view word() const;

 private:
  std::array<char, 24> text_{};
  std::size_t length_ = 0;
};

/// A pod's pids.max before and after evictd's change. Empty if it is unchanged, or if the previous
/// value is unknown.
struct ForkHold {
  PidsMax before;
  PidsMax set;

  [[nodiscard]] bool in_force() const { return !before.text().empty(); }
};

/// Sets pids.max to 0 during its lifetime; longer after keep().
class ForkStop {
 public:
  /// `pids_max_fd`: a kept pids.max of a v1 pod, -1 for none. `before`: its content right before;
  /// empty if unknown.
  ForkStop(int pids_max_fd, const PidsMax& before);
  ForkStop(const ForkStop&) = delete;
  ForkStop& operator=(const ForkStop&) = delete;
  /// Restores `before`, unless keep() was called.
  ~ForkStop();

  void keep() { keep_ = true; }

 private:
  int fd_;
  PidsMax before_;
  bool keep_ = false;
};

}  // namespace evictd::enforce
