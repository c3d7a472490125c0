/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Messages of the notification socket, docs/notify_protocol.md.
 *
 * A SOCK_SEQPACKET unix socket: one packet is one message in the machine's byte order, of exactly
 * the size of its structure. The client sends a request, the server answers it with one reply that
 * has the same request_id. The server sends nothing else: notifications go through the eventfd.
 */
#ifndef EVICTD_ABI_NOTIFY_WIRE_H
#define EVICTD_ABI_NOTIFY_WIRE_H

#include "notify_terms.h"
#include "types.h"

#define EVICTD_NOTIFY_SOCKET  "/run/evictd/notify.sock"
#define EVICTD_NOTIFY_VERSION 1
/* "evnt" in little endian; every valid message begins with it. */
#define EVICTD_NOTIFY_MAGIC 0x746e7665U
/* No message is larger. */
#define EVICTD_NOTIFY_MESSAGE_MAX 128
/* File descriptors that a REGISTER carries, in this order. */
#define EVICTD_NOTIFY_FD_EVENT	0
#define EVICTD_NOTIFY_FD_CGROUP 1
#define EVICTD_NOTIFY_FDS	2

enum evictd_notify_message {
	EVICTD_NOTIFY_HELLO = 1, /* the first one of a connection */
	EVICTD_NOTIFY_REGISTER = 2,
	EVICTD_NOTIFY_UNREGISTER = 3,
	EVICTD_NOTIFY_LIST = 4,
	EVICTD_NOTIFY_STATUS = 5,
};

/* Added to a request's type in its reply. A reply begins with the header and the error (__s32, 0 or
 * an errno value); with ENOSYS it has the size of evictd_notify_unregister_reply. */
#define EVICTD_NOTIFY_REPLY 0x80000000U

struct evictd_notify_header {
	__u32 magic;	  /* EVICTD_NOTIFY_MAGIC */
	__u32 type;	  /* enum evictd_notify_message */
	__u64 request_id; /* the client's choice */
};
EVICTD_ABI_SIZE(struct evictd_notify_header, 16);

struct evictd_notify_hello {
	struct evictd_notify_header header;
	__u32 version; /* the client's newest: EVICTD_NOTIFY_VERSION */
	__u32 flags;   /* 0 */
};
EVICTD_ABI_SIZE(struct evictd_notify_hello, 24);

struct evictd_notify_hello_reply {
	struct evictd_notify_header header;
	__s32 error;	/* 0 or an errno value */
	__u32 version;	/* that both sides speak from now on; with EPROTONOSUPPORT the server's */
	__u64 instance; /* random number of this start of the server */
	__u32 backend;	/* enum evictd_notify_backend */
	__u32 signals;	/* bit (1 << enum evictd_notify_signal): available on this machine */
	__u32 max_registrations; /* of this client's uid */
	__u32 pad;
};
EVICTD_ABI_SIZE(struct evictd_notify_hello_reply, 48);

/* Carries two descriptors, SCM_RIGHTS: the eventfd and the cgroup's directory, opened for reading.
 */
struct evictd_notify_register_request {
	struct evictd_notify_header header;
	__u32 signal;	 /* enum evictd_notify_signal */
	__u32 unit;	 /* enum evictd_notify_unit */
	__u32 direction; /* enum evictd_notify_direction; BOTH for PRESSURE and OOM */
	__u32 mode;	 /* enum evictd_notify_mode; DEFAULT for all but PRESSURE */
	__u64 threshold; /* in `unit`; enum evictd_notify_level for PRESSURE, 0 for OOM */
	__u64
	    hysteresis; /* in `unit`, at most `threshold`: below again at threshold - hysteresis */
	__s32 eventfd;	/* its number in the client: the server notices when it is closed;
			   -1: not checked */
	__u32 flags;	/* 0 */
};
EVICTD_ABI_SIZE(struct evictd_notify_register_request, 56);

struct evictd_notify_register_reply {
	struct evictd_notify_header header;
	__s32 error;
	__u32 side;	    /* enum evictd_notify_side at registration */
	__u64 registration; /* never 0, never used twice by one instance */
	__u64 value;	    /* at registration, in the signal's own unit */
};
EVICTD_ABI_SIZE(struct evictd_notify_register_reply, 40);

struct evictd_notify_unregister_request {
	struct evictd_notify_header header;
	__u64 registration;
};
EVICTD_ABI_SIZE(struct evictd_notify_unregister_request, 24);

struct evictd_notify_unregister_reply {
	struct evictd_notify_header header;
	__s32 error;
	__u32 pad;
};
EVICTD_ABI_SIZE(struct evictd_notify_unregister_reply, 24);

/* Asks for this connection's registration with the smallest number above `after`. */
struct evictd_notify_list {
	struct evictd_notify_header header;
	__u64 after; /* 0: the first */
};
EVICTD_ABI_SIZE(struct evictd_notify_list, 24);

struct evictd_notify_list_reply {
	struct evictd_notify_header header;
	__s32 error; /* ENOENT: there are no more */
	__u32 side;
	__u64 registration;
	__u64 cgroup; /* its number: inode of the directory */
	__u32 signal;
	__u32 unit;
	__u32 direction;
	__u32 mode;
	__u64 threshold;
	__u64 hysteresis;
	__u64 value;	  /* now, in the signal's own unit */
	__u64 deliveries; /* how often 1 was added to the eventfd */
};
EVICTD_ABI_SIZE(struct evictd_notify_list_reply, 88);

struct evictd_notify_status {
	struct evictd_notify_header header;
};
EVICTD_ABI_SIZE(struct evictd_notify_status, 16);

struct evictd_notify_status_reply {
	struct evictd_notify_header header;
	__s32 error;
	__u32 backend;	   /* enum evictd_notify_backend */
	__u32 connections; /* of all clients, as the next two */
	__u32 registrations;
	__u64 deliveries;
	__u32 uid_registrations; /* of this client's uid, over all its connections */
	__u32 max_registrations; /* of this client's uid */
	__u64 resyncs; /* how often the kernel's ring overflowed and values were read again */
	__u64 refused; /* requests answered with an error */
};
EVICTD_ABI_SIZE(struct evictd_notify_status_reply, 64);

#endif
