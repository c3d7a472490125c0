// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

namespace evictd::probe {

/// How a tracing program is called by a function of the kernel.
enum class TracingKind : std::uint8_t {
  kFentry,
  kFexit,
};

/// Why no program of this kind is loaded here, whatever function it is for; empty if some may be.
/// Asks the kernel, which takes some microseconds: a try of a row takes a load of its object.
[[nodiscard]] std::string refusal_of(TracingKind kind);

/// Whether the kind as such is refused, by what the kernel answers (an errno) to a program of it
/// and to one of a tracepoint, both for a function that does not exist. Who may not load programs
/// at all is told so by the load itself. Pure.
[[nodiscard]] bool is_refused(int answer, int answer_to_tracepoint);

}  // namespace evictd::probe
