// SPDX-License-Identifier: Apache-2.0
#include "evictd/result.h"

#include <cerrno>
#include <system_error>

namespace evictd {

namespace {

Errc code_of(int sys_errno) {
  switch (sys_errno) {
    case ENOENT:
    case ESRCH:
    case ENODEV:
      return Errc::kNotFound;
    case EPERM:
    case EACCES:
      return Errc::kPermission;
    case ENOSYS:
    case EOPNOTSUPP:
      return Errc::kUnsupported;
    case EINVAL:
      return Errc::kInvalid;
    case ENOMEM:
    case ENOSPC:
    case EMFILE:
    case ENFILE:
    case E2BIG:
      return Errc::kExhausted;
    case EBUSY:
    case EAGAIN:
    case EADDRINUSE:
      return Errc::kBusy;
    case ETIMEDOUT:
      return Errc::kTimedOut;
    default:
      return Errc::kIo;
  }
}

}  // namespace

Error Error::in(std::string_view layer) const {
  return {code, sys_errno, std::string(layer) + ": " + context};
}

std::string Error::message() const {
  return context;
}

Failure fail(Errc code, std::string context) {
  return Failure(Error{code, 0, std::move(context)});
}

Failure fail_errno(int sys_errno, std::string context) {
  context += ": ";
  context += std::generic_category().message(sys_errno);
  return Failure(Error{code_of(sys_errno), sys_errno, std::move(context)});
}

Failure fail_in(std::string_view layer, const Error& error) {
  return Failure(error.in(layer));
}

std::string_view to_string(Errc code) {
  switch (code) {
    case Errc::kNotFound:
      return "not_found";
    case Errc::kPermission:
      return "permission";
    case Errc::kUnsupported:
      return "unsupported";
    case Errc::kMalformed:
      return "malformed";
    case Errc::kInvalid:
      return "invalid";
    case Errc::kExhausted:
      return "exhausted";
    case Errc::kBusy:
      return "busy";
    case Errc::kTimedOut:
      return "timed_out";
    case Errc::kIo:
      return "io";
  }
  return "io";
}

}  // namespace evictd
