// SPDX-License-Identifier: Apache-2.0
#include "probe/cgroup_resolver.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <unistd.h>

#include <cerrno>

#include "base/fd.h"

namespace evictd::probe {

Result<evictd_resolved> resolve_cgroup(bpf_program* iterator, int cgroup_fd, CgroupId expected) {
  bpf_iter_link_info info{};
  info.cgroup.order = BPF_CGROUP_ITER_SELF_ONLY;
  info.cgroup.cgroup_fd = static_cast<std::uint32_t>(cgroup_fd);
  bpf_link_create_opts options{};
  options.sz = sizeof(options);
  options.iter_info = &info;
  options.iter_info_len = sizeof(info);
  // Not bpf_program__attach_iter: a cgroup that is gone is normal here, and libbpf would tell of it
  // through what the whole process has one of.
  const base::Fd link(bpf_link_create(bpf_program__fd(iterator), 0, BPF_TRACE_ITER, &options));
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
  const CgroupId found{.hierarchy = resolved.cgroup.hierarchy, .id = resolved.cgroup.id};
  if (size != sizeof(resolved) || found != expected) {
    return fail(Errc::kNotFound, "the cgroup is gone or another one has its place");
  }
  if (resolved.level == 0) {
    return fail(Errc::kInvalid, "the root of a hierarchy has no counters; use the node's values");
  }
  return resolved;
}

}  // namespace evictd::probe
