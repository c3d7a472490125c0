/* SPDX-License-Identifier: Apache-2.0 */
/*
 * libevictd-notify: an eventfd that fires when a cgroup's memory crosses a threshold, on every
 * cgroup version, as cgroup v1's cgroup.event_control did; and more (docs/notify.md).
 *
 *   evictd_notify *notify;
 *   struct evictd_notify_watch watch = {.threshold = 100 << 20};
 *   uint64_t id;
 *   int fd = eventfd(0, EFD_CLOEXEC);
 *   int error = evictd_notify_open(NULL, 0, &notify);
 *   if (error == 0)
 *     error = evictd_notify_register(notify, "/sys/fs/cgroup/pod", &watch, fd, &id);
 *   ...read(fd, &count, sizeof(count)) returns when usage has crossed 100 MiB, either way
 *
 * Errors. Every function returns 0 or an errno value, and leaves errno itself undefined. Each may
 * return EFAULT (a pointer that must not be null is null), ENOMEM, EMFILE and ENFILE. The comment
 * of a function lists its further errors.
 *
 * Threads. Any threads may use a handle at the same time. evictd_notify_close() is the exception:
 * it must be the last call. Handles share nothing. Each handle has one thread, which receives no
 * signals. All descriptors are close-on-exec.
 *
 * The only global state is libbpf's print function. IN_PROCESS replaces it while a handle is opened
 * or registers. Its replacement keeps libbpf's output of that thread from stderr, and passes the
 * output of other threads to the previous function. A function set meanwhile stays.
 *
 * After fork() a child must neither use nor close its parent's handle. The child's copy of the
 * connection keeps the parent's registrations alive until the child exits or execs.
 */
#ifndef EVICTD_NOTIFY_H
#define EVICTD_NOTIFY_H

/* NOLINTBEGIN(modernize-deprecated-headers,modernize-use-using): C has no other way. */
#include <stdint.h>

#include "evictd/abi/notify_terms.h"

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__)
#define EVICTD_NOTIFY_API __attribute__((visibility("default")))
#else
#define EVICTD_NOTIFY_API
#endif

/* One connection to evictd, or one kernel program in this process, with its registrations. */
typedef struct evictd_notify evictd_notify;
/* NOLINTEND(modernize-deprecated-headers,modernize-use-using) */

/* Flags of evictd_notify_open(). */
enum evictd_notify_open_flag {
  /* Load the kernel program from this process, without evictd. Needs CAP_BPF, CAP_PERFMON and
   * CAP_SYS_RESOURCE, or root. The socket's path is ignored. */
  EVICTD_NOTIFY_IN_PROCESS = 1
};

/*
 * Connects to evictd at `socket`, NULL for /run/evictd/notify.sock, and stores a handle.
 *
 * If evictd exits or restarts, the library reconnects as soon as the socket is back and registers
 * everything again. It then adds 1 to each registered eventfd, once per restart: crossings in the
 * meantime are unknown, so the reader must check its values. evictd_notify_query() reports
 * registrations that evictd then refuses. Those that fail with EMFILE, ENFILE, ENOMEM, ENOSPC,
 * EDQUOT, EBUSY, ETIMEDOUT or EAGAIN (no /proc) are retried every second; success adds 1 again.
 *
 * EINVAL           an unknown flag
 * ENAMETOOLONG     `socket` is longer than a socket's path can be
 * ENOENT, ECONNREFUSED  evictd does not run
 * EACCES           this user may not connect
 * EPROTONOSUPPORT  evictd is too old or too new for this library
 * EUSERS           too many connections of this user
 * ETIMEDOUT        evictd does not answer
 * EPROTO           the peer is not evictd
 * EAGAIN           no thread is available; IN_PROCESS: or no asynchronous I/O (fs.aio-max-nr)
 * EPERM, EOPNOTSUPP  IN_PROCESS: privileges are missing; this kernel cannot run the program
 */
EVICTD_NOTIFY_API int evictd_notify_open(const char* socket, unsigned int flags,
                                         evictd_notify** handle);

/*
 * Unregisters everything and frees the handle; NULL is allowed. The eventfds belong to the caller
 * and stay open. After the return nothing is added to them. Exception: an evictd that does not
 * answer within 5 s (a stopped process, for example) adds what it still finds when it continues.
 */
EVICTD_NOTIFY_API void evictd_notify_close(evictd_notify* handle);

/*
 * What to listen for. Zeroed, with `threshold` set: usage in bytes, both directions, as v1.
 * evictd/abi/notify_terms.h defines the terms.
 */
struct evictd_notify_watch {
  uint32_t signal;      /* enum evictd_notify_signal */
  uint32_t unit;        /* enum evictd_notify_unit, of threshold and hysteresis */
  uint32_t direction;   /* enum evictd_notify_direction */
  uint32_t mode;        /* enum evictd_notify_mode, PRESSURE only */
  uint64_t threshold;   /* in `unit`; PRESSURE: enum evictd_notify_level; OOM: 0 */
  uint64_t hysteresis;  /* in `unit`: crossed downwards only below threshold - hysteresis */
  uint64_t reserved[2]; /* 0 */
};

/*
 * From now on adds 1 to `eventfd` each time the cgroup crosses the threshold. The current side does
 * not fire. Any number of registrations may share a threshold or an eventfd.
 *
 * The registration ends with evictd_notify_unregister(), with the handle, with the process, and
 * when the descriptor number `eventfd` is closed. It also ends when the cgroup is removed or loses
 * the signal's controller; that adds 1 a last time. The library neither reads nor closes `eventfd`.
 *
 * `cgroup` is the cgroup's directory; on cgroup v1 in the hierarchy of the memory controller (PIDS:
 * of the pids controller). `id` may be NULL. An id is never 0, and the handle never reuses it.
 *
 * EINVAL      a value that evictd/abi/notify_terms.h does not allow, hysteresis above threshold,
 *             OF_LIMIT above the whole limit, nonzero `reserved`
 * EBADF       `eventfd` is not open, or not an eventfd
 * ENOENT, ENOTDIR, EACCES, ELOOP, ENAMETOOLONG  `cgroup`, as open(2); ENOTDIR also if it is not a
 *             cgroup, or lies in a cgroup v1 hierarchy without the signal's controller
 * EACCES      this user may not read the cgroup's usage
 * ENODEV      the cgroup was removed
 * EOPNOTSUPP  the signal is not available on this kernel or for this cgroup (docs/notify.md): on
 *             cgroup v2 the cgroup lacks its controller
 * E2BIG       OOM on cgroup v2: more than 64 levels, this one included, have the memory controller
 * EDQUOT      this user's limit on registrations, values, or cgroups to read OOM from is reached
 * ENOSPC      evictd's limit is reached, in total or for all users except root
 * ENOTCONN    evictd has gone; earlier registrations return with it
 * ETIMEDOUT   evictd does not answer
 */
EVICTD_NOTIFY_API int evictd_notify_register(evictd_notify* handle, const char* cgroup,
                                             const struct evictd_notify_watch* watch, int eventfd,
                                             uint64_t* id);

/*
 * As evictd_notify_register(), for a cgroup directory open for reading (not with O_PATH). The
 * library keeps a duplicate. Same errors without those of open(2); EBADF also for `cgroup`.
 */
EVICTD_NOTIFY_API int evictd_notify_register_at(evictd_notify* handle, int cgroup,
                                                const struct evictd_notify_watch* watch,
                                                int eventfd, uint64_t* id);

/*
 * As evictd_notify_register(), in the syntax of cgroup.event_control: a control file and arguments.
 *
 *   memory.usage_in_bytes, memory.memsw.usage_in_bytes              "100M"
 *   memory.current, a cgroup's directory                            "100M"
 *   pids.current                                                    "100"
 *   memory.pressure_level                                           "medium" or "low,hierarchy"
 *   memory.oom_control, memory.events, memory.events.local          ""
 *
 * Numbers are decimal, 0x... or 0..., with a suffix K, M, G, T, P, E in powers of 1024. "-1" is
 * above every value. As on v1, bytes are rounded down to pages. "92.5%" is a share of the limit.
 *
 * Errors as evictd_notify_register(); EINVAL also for an unsupported file or argument.
 */
EVICTD_NOTIFY_API int evictd_notify_register_control(evictd_notify* handle, const char* file,
                                                     const char* arguments, int eventfd,
                                                     uint64_t* id);

/*
 * Ends a registration. After the return it adds nothing to its eventfd, except by an evictd that
 * does not answer in time, as with evictd_notify_close(). That case returns 0 too, after 5 s.
 *
 * ENOENT  no registration has this `id`, or it ended by itself some time ago
 */
EVICTD_NOTIFY_API int evictd_notify_unregister(evictd_notify* handle, uint64_t id);

/* State of a registration. */
struct evictd_notify_state {
  int32_t error;       /* 0; ENODEV it has ended; ENOTCONN evictd has gone; else why it could not be
                          restored after evictd returned (evictd_notify_open()) */
  uint32_t side;       /* enum evictd_notify_side */
  uint64_t value;      /* last seen, in the signal's own unit */
  uint64_t deliveries; /* since evictd (re)started */
  uint64_t reserved[2];
};

/* Reads a registration's state. ENOENT, ETIMEDOUT as above; ENOTCONN only in `state`. */
EVICTD_NOTIFY_API int evictd_notify_query(evictd_notify* handle, uint64_t id,
                                          struct evictd_notify_state* state);

/* State of a handle. */
struct evictd_notify_info {
  uint32_t connected;         /* 1, or 0 while evictd is gone; IN_PROCESS: 1 */
  uint32_t backend;           /* enum evictd_notify_backend */
  uint32_t signals;           /* bit 1 << enum evictd_notify_signal: available */
  uint32_t registrations;     /* of this handle */
  uint32_t max_registrations; /* of this user; 0: no limit */
  uint32_t gaps;              /* times that evictd was gone and came back */
  uint64_t reserved[2];
};

/* Reads a handle's state, without asking evictd. Only error: EFAULT. */
EVICTD_NOTIFY_API int evictd_notify_get_info(evictd_notify* handle,
                                             struct evictd_notify_info* info);

#ifdef __cplusplus
}
#endif

#endif
