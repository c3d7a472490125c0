// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <tl/expected.hpp>
#include <utility>

namespace evictd {

/// What went wrong, in terms a caller can act on.
enum class Errc {
  kNotFound,     ///< The file, cgroup, process or symbol does not exist or is gone: skip it.
  kPermission,   ///< The kernel refused (EPERM, EACCES).
  kUnsupported,  ///< This kernel or build does not have the feature.
  kMalformed,    ///< Text or a record that cannot be parsed.
  kInvalid,      ///< A value that parses but is not allowed.
  kExhausted,    ///< A limit of the kernel or of evictd was reached.
  kBusy,         ///< Another user holds it.
  kTimedOut,     ///< A deadline passed.
  kIo,           ///< Any other failure of a system call; see `sys_errno`.
};

/// One failure: a class to act on, the errno of a failed system call, and the context.
struct Error {
  Errc code = Errc::kIo;
  /// errno of the failed call, 0 if none failed.
  int sys_errno = 0;
  /// Failed operations, innermost last: "load config: read /etc/evictd.yaml: Permission denied".
  std::string context;

  /// Returns this error with `layer` prepended to its context.
  [[nodiscard]] Error in(std::string_view layer) const;
  /// One line for a log or for stderr, without a line end.
  [[nodiscard]] std::string message() const;
};

/// Either a value or an Error. Functions report run-time failures only this way.
template <typename T = void>
using Result = tl::expected<T, Error>;

using Failure = tl::unexpected<Error>;

/// A failure that no system call caused.
[[nodiscard]] Failure fail(Errc code, std::string context);

/// A failed system call: maps `sys_errno` to an Errc (ENOENT, ESRCH and ENODEV become kNotFound)
/// and appends the system's own text for it to `context`.
[[nodiscard]] Failure fail_errno(int sys_errno, std::string context);

/// Returns `error` with `layer`, the operation of the caller, prepended to its context.
[[nodiscard]] Failure fail_in(std::string_view layer, const Error& error);

/// The symbolic name of an Errc, for logs and JSON: "not_found".
[[nodiscard]] std::string_view to_string(Errc code);

}  // namespace evictd
