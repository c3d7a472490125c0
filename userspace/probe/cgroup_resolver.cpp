// SPDX-License-Identifier: Apache-2.0
#include "probe/cgroup_resolver.h"

#include <unistd.h>

#include <cerrno>

#include "base/fd.h"
#include "evictd/try.h"
#include "probe/skeleton.h"

namespace evictd::probe {

CgroupResolver::CgroupResolver(const evictd_bpf& skeleton)
    : program_(bpf_program__fd(skeleton.progs.cgroup_resolve)),
      iterates_(bpf_program__type(skeleton.progs.cgroup_resolve) == BPF_PROG_TYPE_TRACING),
      answer_(skeleton.bss->resolved) {}

Result<evictd_resolved> CgroupResolver::iterate(int cgroup_fd) const {
  bpf_iter_link_info info{};
  info.cgroup.order = BPF_CGROUP_ITER_SELF_ONLY;
  info.cgroup.cgroup_fd = static_cast<std::uint32_t>(cgroup_fd);
  bpf_link_create_opts options{};
  options.sz = sizeof(options);
  options.iter_info = &info;
  options.iter_info_len = sizeof(info);
  // Not bpf_program__attach_iter: a cgroup that is gone is normal here, and libbpf would tell of it
  // through what the whole process has one of.
  const base::Fd link(bpf_link_create(program_, 0, BPF_TRACE_ITER, &options));
  if (!link) {
    return fail_errno(errno, "attach the cgroup iterator");
  }
  const base::Fd stream(bpf_iter_create(link.get()));
  if (!stream) {
    return fail_errno(errno, "start the cgroup iterator");
  }
  evictd_resolved resolved{};
  const ssize_t size = ::read(stream.get(), &resolved, sizeof(resolved));
  if (size < 0) {
    return fail_errno(errno, "read the cgroup iterator");
  }
  return size == sizeof(resolved) ? resolved : evictd_resolved{};
}

Result<evictd_resolved> CgroupResolver::run(int cgroup_fd) const {
  auto argument = static_cast<std::uint64_t>(cgroup_fd);
  bpf_test_run_opts options{};
  options.sz = sizeof(options);
  options.ctx_in = &argument;
  options.ctx_size_in = sizeof(argument);
  const std::scoped_lock lock(running_);
  if (const int error = bpf_prog_test_run_opts(program_, &options); error != 0) {
    return fail_errno(-error, "ask the kernel for a cgroup");
  }
  return answer_;
}

Result<evictd_resolved> CgroupResolver::resolve(int cgroup_fd, CgroupId expected) const {
  EVICTD_ASSIGN_OR_RETURN(evictd_resolved resolved,
                          iterates_ ? iterate(cgroup_fd) : run(cgroup_fd));
  const CgroupId found{.hierarchy = resolved.cgroup.hierarchy, .id = resolved.cgroup.id};
  if (found != expected) {
    return fail(Errc::kNotFound, "the cgroup is gone or was replaced by another one");
  }
  if (resolved.level == 0) {
    return fail(Errc::kInvalid, "the root of a hierarchy has no counters; use the node's values");
  }
  return resolved;
}

}  // namespace evictd::probe
