// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

namespace evictd::probe {

/// How a kernel function calls a tracing program.
enum class TracingKind : std::uint8_t {
  kFentry,
  kFexit,
};

/// Why this kernel refuses all programs of this kind, for any function; empty if it does not. Asks
/// the kernel, which takes some microseconds; a try of a row takes a load of its whole object.
[[nodiscard]] std::string refusal_of(TracingKind kind);

/// Whether the kernel refuses the kind as such. `answer` and `answer_to_tracepoint` are its errno
/// for a program of this kind and for one of a tracepoint, both for a function that does not exist.
/// Missing privileges to load programs are left to the load itself. Pure.
[[nodiscard]] bool is_refused(int answer, int answer_to_tracepoint);

}  // namespace evictd::probe
