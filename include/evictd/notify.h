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
 * Errors. Every function returns 0 or an errno value, and leaves errno itself undefined. What is
 * listed at a function is what it returns beyond these: EFAULT a pointer that must not be null is,
 * ENOMEM, EMFILE, ENFILE.
 *
 * Threads. A handle may be used by any threads at the same time, evictd_notify_close() excepted,
 * which must be the last call with it. Nothing is shared between handles, and there is no global
 * state but libbpf's print function: IN_PROCESS has its own in place while a handle is opened or
 * registers, which keeps what libbpf says in that thread from stderr and passes on to the one
 * before what it says in others; one that is set meanwhile stays. A handle has one thread of its
 * own, in which no signal is delivered. All descriptors are close-on-exec. After fork() a child
 * must not use its parent's handle, nor close it: the child's copy of the connection keeps the
 * parent's registrations alive until the child ends or execs.
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

/* One connection to evictd, or one kernel program of one's own, with its registrations. */
typedef struct evictd_notify evictd_notify;
/* NOLINTEND(modernize-deprecated-headers,modernize-use-using) */

/* Flags of evictd_notify_open(). */
enum evictd_notify_open_flag {
  /* No evictd: load the kernel program into this process. Needs CAP_BPF, CAP_PERFMON and
   * CAP_SYS_RESOURCE, or root; the socket's path is not used. */
  EVICTD_NOTIFY_IN_PROCESS = 1
};

/*
 * Connects to evictd at `socket`, NULL for /run/evictd/notify.sock, and stores a handle.
 *
 * Should evictd end or restart later, the library connects again as soon as the socket is back,
 * registers everything anew and then adds 1 to each registered eventfd, once a restart: what was
 * crossed in the meantime is not known, so the reader is to look for itself. What evictd refuses
 * then, evictd_notify_query() tells. What fails for EMFILE, ENFILE, ENOMEM, ENOSPC, EDQUOT, EBUSY,
 * ETIMEDOUT or EAGAIN (no /proc) is tried again every second; success adds 1 once more.
 *
 * EINVAL           an unknown flag
 * ENAMETOOLONG     `socket` is longer than a socket's path can be
 * ENOENT, ECONNREFUSED  evictd is not there
 * EACCES           this user may not connect
 * EPROTONOSUPPORT  evictd is older or newer than the library can speak with
 * EUSERS           too many connections of this user
 * ETIMEDOUT        evictd does not answer
 * EPROTO           what answers is not evictd
 * EAGAIN           no thread, IN_PROCESS also no asynchronous I/O (fs.aio-max-nr), is to be had
 * EPERM, EOPNOTSUPP  IN_PROCESS: the privileges lack; this kernel cannot run the program
 */
EVICTD_NOTIFY_API int evictd_notify_open(const char* socket, unsigned int flags,
                                         evictd_notify** handle);

/*
 * Unregisters everything and frees the handle; NULL is allowed. The eventfds stay open: they are
 * the caller's. After it returns nothing is added to them any more, but by an evictd that does not
 * answer in time (5 s; it is stopped, say), which adds what it still finds when it goes on.
 */
EVICTD_NOTIFY_API void evictd_notify_close(evictd_notify* handle);

/*
 * What to listen for. Zero it and set `threshold`: usage in bytes, both directions, as v1.
 * Meanings of the words: evictd/abi/notify_terms.h.
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
 * Adds 1 to `eventfd` whenever the cgroup crosses the threshold, once a crossing, from now on. The
 * side on which the value is now does not fire. Any number of registrations may share a threshold
 * or an eventfd.
 *
 * It ends with evictd_notify_unregister(), with the handle, with the process, when the number
 * `eventfd` is closed, and when the cgroup is removed or the signal's controller is taken from it,
 * which adds 1 a last time. The library neither reads nor closes `eventfd`.
 *
 * `cgroup` is the cgroup's directory: of the hierarchy with the memory controller (PIDS: the pids
 * controller) on cgroup v1. `id` may be NULL; it is never 0, and not used again by this handle.
 *
 * EINVAL      a value that evictd/abi/notify_terms.h does not allow, hysteresis above threshold,
 *             OF_LIMIT above the whole limit, something in `reserved`
 * EBADF       `eventfd` is not open, or no eventfd
 * ENOENT, ENOTDIR, EACCES, ELOOP, ENAMETOOLONG  `cgroup`, as open(2); ENOTDIR also where it is no
 *             cgroup, or one of a cgroup v1 hierarchy without the signal's controller
 * EACCES      this user may not read the cgroup's usage
 * ENODEV      the cgroup was removed
 * EOPNOTSUPP  the signal is not available on this kernel, or not of this cgroup (docs/notify.md):
 *             its controller is not there on cgroup v2
 * E2BIG       OOM on cgroup v2: more than 64 levels have the memory controller, this one counted
 * EDQUOT      more registrations, values, or cgroups to read OOM from than this user may have
 * ENOSPC      more than evictd can keep, or than it keeps for all users but root
 * ENOTCONN    evictd has gone; registrations made before return with it
 * ETIMEDOUT   evictd does not answer
 */
EVICTD_NOTIFY_API int evictd_notify_register(evictd_notify* handle, const char* cgroup,
                                             const struct evictd_notify_watch* watch, int eventfd,
                                             uint64_t* id);

/*
 * The same for a cgroup's directory that is open for reading (not with O_PATH). The library keeps
 * a duplicate. Errors as above without those of open(2); EBADF also for `cgroup`.
 */
EVICTD_NOTIFY_API int evictd_notify_register_at(evictd_notify* handle, int cgroup,
                                                const struct evictd_notify_watch* watch,
                                                int eventfd, uint64_t* id);

/*
 * The same, said in the words of cgroup.event_control: a control file and its arguments.
 *
 *   memory.usage_in_bytes, memory.memsw.usage_in_bytes              "100M"
 *   memory.current, a cgroup's directory                            "100M"
 *   pids.current                                                    "100"
 *   memory.pressure_level                                           "medium" or "low,hierarchy"
 *   memory.oom_control, memory.events, memory.events.local          ""
 *
 * Numbers are decimal, 0x... or 0..., with a suffix K, M, G, T, P, E in powers of 1024; "-1" is
 * beyond every value. As v1 does, bytes are rounded down to pages. "92.5%" is a share of the limit.
 *
 * Errors as evictd_notify_register(); EINVAL also for a file or arguments that it does not take.
 */
EVICTD_NOTIFY_API int evictd_notify_register_control(evictd_notify* handle, const char* file,
                                                     const char* arguments, int eventfd,
                                                     uint64_t* id);

/*
 * Ends a registration: after it returns nothing is added to its eventfd on its behalf any more, but
 * by an evictd that does not answer in time, as with evictd_notify_close(). It is ended then too:
 * the result is 0, after those 5 s.
 *
 * ENOENT  there is none with this `id`, or it has ended by itself some time ago
 */
EVICTD_NOTIFY_API int evictd_notify_unregister(evictd_notify* handle, uint64_t id);

/* How a registration does. */
struct evictd_notify_state {
  int32_t error;  /* 0; ENODEV it has ended; ENOTCONN evictd has gone; else why it could not be made
                     anew when evictd was back (evictd_notify_open()) */
  uint32_t side;  /* enum evictd_notify_side */
  uint64_t value; /* last seen, in the signal's own unit */
  uint64_t deliveries; /* since evictd (re)started */
  uint64_t reserved[2];
};

/* Looks at a registration. ENOENT, ETIMEDOUT as above; ENOTCONN is in the state, not the result. */
EVICTD_NOTIFY_API int evictd_notify_query(evictd_notify* handle, uint64_t id,
                                          struct evictd_notify_state* state);

/* How a handle does. */
struct evictd_notify_info {
  uint32_t connected;         /* 1, or 0 while evictd is gone; IN_PROCESS: 1 */
  uint32_t backend;           /* enum evictd_notify_backend */
  uint32_t signals;           /* bit 1 << enum evictd_notify_signal: available */
  uint32_t registrations;     /* of this handle */
  uint32_t max_registrations; /* of this user; 0: no limit */
  uint32_t gaps;              /* times that evictd was gone and came back */
  uint64_t reserved[2];
};

/* Looks at a handle, without asking evictd. No errors but EFAULT. */
EVICTD_NOTIFY_API int evictd_notify_get_info(evictd_notify* handle,
                                             struct evictd_notify_info* info);

#ifdef __cplusplus
}
#endif

#endif
