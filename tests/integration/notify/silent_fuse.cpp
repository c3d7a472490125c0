// SPDX-License-Identifier: Apache-2.0
#include "silent_fuse.h"

#include <fcntl.h>
#include <linux/fuse.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <system_error>

namespace evictd::test {
namespace {

constexpr std::uint64_t kFile = 2;
constexpr std::uint64_t kSeconds = 3600;

fuse_attr attributes_of(std::uint64_t node) {
  fuse_attr attributes{};
  attributes.ino = node;
  attributes.mode = node == FUSE_ROOT_ID ? S_IFDIR | 0755 : S_IFREG | 0644;
  attributes.nlink = 1;
  attributes.blksize = 4096;
  return attributes;
}

template <typename Body>
void reply(int device, const fuse_in_header& request, Body body) {
  fuse_out_header header{};
  header.len = sizeof(header) + sizeof(body);
  header.unique = request.unique;
  const std::array<iovec, 2> parts = {{{.iov_base = &header, .iov_len = sizeof(header)},
                                       {.iov_base = &body, .iov_len = sizeof(body)}}};
  static_cast<void>(::writev(device, parts.data(), static_cast<int>(parts.size())));
}

void reply_error(int device, const fuse_in_header& request, int error) {
  fuse_out_header header{};
  header.len = sizeof(header);
  header.error = -error;
  header.unique = request.unique;
  static_cast<void>(::write(device, &header, sizeof(header)));
}

void reply_to(int device, const fuse_in_header& request) {
  switch (request.opcode) {
    case FUSE_INIT: {
      fuse_init_out out{};
      out.major = FUSE_KERNEL_VERSION;
      out.minor = 31;
      out.max_write = 65536;
      return reply(device, request, out);
    }
    case FUSE_LOOKUP: {
      fuse_entry_out out{};
      out.nodeid = kFile;
      out.entry_valid = kSeconds;
      out.attr = attributes_of(kFile);
      return reply(device, request, out);
    }
    case FUSE_GETATTR: {
      fuse_attr_out out{};
      out.attr = attributes_of(request.nodeid);
      return reply(device, request, out);
    }
    case FUSE_OPEN:
    case FUSE_OPENDIR:
      return reply(device, request, fuse_open_out{});
    case FUSE_FORGET:
    case FUSE_INTERRUPT:
      return;  // Nobody awaits an answer.
    default:
      return reply_error(device, request, ENOSYS);
  }
}

}  // namespace

SilentFuse::SilentFuse() : device_(::open("/dev/fuse", O_RDWR | O_CLOEXEC)) {
  if (!device_) {
    missing_ = "no /dev/fuse: " + std::generic_category().message(errno);
    return;
  }
  mount();
  if (missing_.empty()) {
    thread_ = std::thread([this] { answer(); });
  }
}

SilentFuse::~SilentFuse() {
  if (!thread_.joinable()) {
    return;
  }
  // Forced: it aborts the connection, and the thread's read() ends.
  ::umount2(path().c_str(), MNT_FORCE);
  ::umount2(path().c_str(), MNT_DETACH);
  thread_.join();
}

void SilentFuse::mount() {
  const std::string options =
      "fd=" + std::to_string(device_.get()) + ",rootmode=40755,user_id=0,group_id=0,allow_other";
  if (::unshare(CLONE_NEWNS) != 0 ||
      ::mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0 ||
      ::mount("silent", path().c_str(), "fuse", MS_NOSUID | MS_NODEV, options.c_str()) != 0) {
    missing_ = "no FUSE to be mounted: " + std::generic_category().message(errno);
  }
}

void SilentFuse::answer() {
  std::array<char, FUSE_MIN_READ_BUFFER + 131072> message{};
  while (true) {
    const ssize_t size = ::read(device_.get(), message.data(), message.size());
    if (size < 0 && (errno == EINTR || errno == ENOENT)) {
      continue;  // ENOENT: the request was taken back.
    }
    if (size < static_cast<ssize_t>(sizeof(fuse_in_header))) {
      return;
    }
    fuse_in_header request{};
    std::memcpy(&request, message.data(), sizeof(request));
    if (!silent_) {
      reply_to(device_.get(), request);
    } else {
      unanswered_ = true;
      unanswered_.notify_all();
    }
  }
}

}  // namespace evictd::test
