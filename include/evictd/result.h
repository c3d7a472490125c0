// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <tl/expected.hpp>
#include <utility>

namespace evictd {

/// What went wrong, in terms a caller can act on.
enum class Errc {
  kNotFound,     ///< The file, cgroup, process or symbol is gone or never was: usually skip it.
  kPermission,   ///< The kernel refused (EPERM, EACCES).
  kUnsupported,  ///< This kernel or build does not have the feature.
  kMalformed,    ///< Text or a record that cannot be read as what it should be.
  kInvalid,      ///< A value that can be read but is not allowed.
  kExhausted,    ///< A limit of the kernel or of ours was reached.
  kBusy,         ///< Somebody else holds it.
  kTimedOut,     ///< A deadline passed.
  kIo,           ///< Any other failure of a system call; see `sys_errno`.
};

/// One failure: a class to act on, the errno if a system call failed, and the story so far.
struct Error {
  Errc code = Errc::kIo;
  /// errno of the failed call, 0 if none failed.
  int sys_errno = 0;
  /// What was being done, innermost last: "load config: read /etc/evictd.yaml: Permission denied".
  std::string context;

  /// The same error with `layer` put in front of its context.
  [[nodiscard]] Error in(std::string_view layer) const;
  /// One line without a line end, fit for a log or for stderr.
  [[nodiscard]] std::string message() const;
};

/// Either a value or an Error. The only way a run-time failure crosses a function border.
template <typename T = void>
using Result = tl::expected<T, Error>;

using Failure = tl::unexpected<Error>;

/// A failure that no system call caused.
[[nodiscard]] Failure fail(Errc code, std::string context);

/// A failed system call: maps `sys_errno` to an Errc (ENOENT, ESRCH and ENODEV become kNotFound)
/// and appends the system's own text for it to `context`.
[[nodiscard]] Failure fail_errno(int sys_errno, std::string context);

/// Passes a failure on to the next layer up, with what that layer was doing put in front.
[[nodiscard]] Failure fail_in(std::string_view layer, const Error& error);

/// The symbolic name of an Errc, for logs and JSON: "not_found".
[[nodiscard]] std::string_view to_string(Errc code);

}  // namespace evictd
