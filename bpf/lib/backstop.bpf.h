/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Layer 5: whether the plan of a kill still holds, and the one claim to carry it out. */
#ifndef EVICTD_BPF_BACKSTOP_H
#define EVICTD_BPF_BACKSTOP_H

#include "read.bpf.h"

#define SIGKILL	   9
#define PF_EXITING 0x4
#define PF_KTHREAD 0x200000

/* Time to the next look: what the fastest growth needs for half of the way, within these. */
#define BACKSTOP_SHORTEST_NS 20000ULL
#define BACKSTOP_LONGEST_NS  250000ULL

/* What one look found. */
struct backstop_look {
	__u64 claim;
	__u64 now;
	__u64 value;
	__u64 victim_css;
	__u64 victim_bytes;
	__u32 spared; /* enum evictd_backstop_spared */
	__u32 tgid;   /* of the task that is signalled as the current one; 0: none */
	__u32 found;  /* a listed process can be signalled */
};

/*
 * The claim if the plan is armed, otherwise 0.
 *
 * An exchange orders the reads of the plan after that of the claim (compare.bpf.h). Without
 * exchanges only x86 orders them; what is read too early there belongs to a plan that has expired.
 */
static __always_inline __u64 armed_claim(void)
{
	__u64 claim = *(volatile __u64 *)&backstop.claim;

	if ((claim & EVICTD_BACKSTOP_STATE_MASK) != EVICTD_BACKSTOP_ARMED)
		return 0;
#ifndef EVICTD_BOUNDED
	if (__sync_fetch_and_add(&backstop.claim, 0) != claim)
		return 0;
#endif
	return claim;
}

/* True for the one who may carry the plan out. */
static __always_inline bool claim_plan(__u64 claim)
{
	__u64 fired = (claim & ~EVICTD_BACKSTOP_STATE_MASK) | EVICTD_BACKSTOP_FIRED;
#ifdef EVICTD_BOUNDED
	__u32 key = EVICTD_BACKSTOP_KEY | (__u32)(claim >> EVICTD_BACKSTOP_STATE_BITS);
	__u32 one = 1;

	/* Under the lock of the entry's bucket; user space takes a plan the same way. */
	if (bpf_map_update_elem(&compared, &key, &one, BPF_NOEXIST))
		return false;
	/* So old that user space gave its entry up: another plan has the claim word. */
	if (*(volatile __u64 *)&backstop.claim != claim) {
		bpf_map_delete_elem(&compared, &key);
		return false;
	}
	backstop.claim = fired;
	return true;
#else
	return __sync_val_compare_and_swap(&backstop.claim, claim, fired) == claim;
#endif
}

/* The working set of the pod in `slot`, and its css. False: it is not the one of the plan. */
static __always_inline bool read_planned(__u32 slot, __u64 memory_id, __u64 *bytes, __u64 *css)
{
	struct evictd_target *target = bpf_map_lookup_elem(&targets, &slot);
	__u64 counter = target ? target->memory_counter : 0;
	__u64 usage;

	if (!counter || (memory_id && target->memory_id != memory_id))
		return false;
	usage = read_u64(counter) << cfg_page_shift;
	*bytes = minus_floored(usage, inactive_bytes(target->inactive_file));
	*css = (__u64)css_of_memory_counter(counter);
	return is_still_of((void *)*css, target->memory_id);
}

/* The value that the plan's level is compared with. */
static __always_inline bool read_level(__u64 now, __u64 *value)
{
	__u64 css;

	if (backstop.signal == EVICTD_SIGNAL_CGROUP_WORKING_SET)
		return read_planned(backstop.slot, 0, value, &css);
	if (backstop.signal == EVICTD_SIGNAL_NODE_TAKEN) {
		read_at_hand(now);
		*value = EVICTD_NODE_CEILING - node.at_hand_bytes;
		return node.zones != 0;
	}
	read_node(now);
	*value = minus_floored(node.usage_bytes, node.inactive_file_bytes);
	return node.nodes != 0;
}

static __always_inline bool moves_fast_enough(__u64 value, __u64 now)
{
	__u64 elapsed_us = (now - backstop.from_ktime_ns) / 1000;

	return !backstop.least_rate || minus_floored(value, backstop.from_value) >=
					   backstop.least_rate / 1000 * elapsed_us / 1000;
}

struct rivalry {
	__s64 victim_bytes;
	__u32 spared;
};

/* overtakes() of userspace/eviction/contender.cpp. */
static __always_inline bool overtakes(const struct evictd_contender *rival, __s64 rival_bytes,
				      __s64 victim_bytes)
{
	bool rival_exceeds = rival_bytes >= rival->exceeds_from;
	bool victim_exceeds = victim_bytes >= backstop.victim.exceeds_from;

	if (rival_exceeds != victim_exceeds)
		return rival_exceeds;
	if (rival->priority != backstop.victim.priority)
		return rival->priority < backstop.victim.priority;
	return rival_bytes - victim_bytes >= rival->lead;
}

static long compare_rival(__u32 i, struct rivalry *rivalry)
{
	struct evictd_contender *rival = &backstop.rivals[i & (EVICTD_BACKSTOP_RIVALS - 1)];
	__u64 bytes = 0;
	__u64 css;

	if (!read_planned(rival->slot, rival->memory_id, &bytes, &css))
		rivalry->spared = EVICTD_SPARED_STALE;
	else if (overtakes(rival, bytes, rivalry->victim_bytes))
		rivalry->spared = EVICTD_SPARED_RIVAL;
	return rivalry->spared ? 1 : 0;
}

/* Repeats the decision at a value within the plan's range. */
static __always_inline __u32 decide_again(struct backstop_look *look)
{
	struct rivalry rivalry = {};

	if (!moves_fast_enough(look->value, look->now))
		return EVICTD_SPARED_SLOW;
	if (*(volatile __u64 *)&stats.emitted[EVICTD_EVENT_CGROUP] != backstop.cgroup_events)
		return EVICTD_SPARED_PODS;
	if (!read_planned(backstop.victim.slot, backstop.victim.memory_id, &look->victim_bytes,
			  &look->victim_css))
		return EVICTD_SPARED_STALE;
	if (look->victim_bytes < backstop.least_working_set)
		return EVICTD_SPARED_SMALL;
	rivalry.victim_bytes = look->victim_bytes;
	EVICTD_REPEAT(backstop.rival_count, EVICTD_BACKSTOP_RIVALS, compare_rival, &rivalry);
	return rivalry.spared;
}

struct ascent {
	__u64 css;
	__u64 wanted;
	__u32 found;
};

static long compare_css(__u32 level, struct ascent *ascent)
{
	struct cgroup_subsys_state *css = (void *)ascent->css;

	if (ascent->css == ascent->wanted) {
		ascent->found = 1;
		return 1;
	}
	ascent->css = (__u64)BPF_CORE_READ(css, parent);
	return !ascent->css;
}

/* Whether the memory cgroup of `task` is the one of `css` or below it. */
static __always_inline bool is_below(struct task_struct *task, __u64 css)
{
	struct ascent ascent = {.css = (__u64)task_css(task, memory_subsys()), .wanted = css};

	if (ascent.css)
		EVICTD_REPEAT(EVICTD_MAX_LEVELS, EVICTD_MAX_LEVELS, compare_css, &ascent);
	return ascent.found;
}

/* From any other task the kernel lets nobody be signalled, whoever the target is. */
static __always_inline bool is_living_user_task(struct task_struct *task)
{
	return !(BPF_CORE_READ(task, flags) & (PF_EXITING | PF_KTHREAD)) && BPF_CORE_READ(task, mm);
}

/* A charge may also come from a soft interrupt, a kernel thread or another cgroup's task: the
 * current task is the victim's only if it is found there, with its leader. */
static __always_inline bool is_of_victim(struct task_struct *task, __u32 tgid, __u64 css)
{
	return own_tgid && tgid != own_tgid && tgid > 1 && is_below(task, css) &&
	       is_below(BPF_CORE_READ(task, group_leader), css);
}

static __always_inline __u64 time_to_look(__u64 value)
{
	__u64 per_us = cfg_rate_up / 1000000;
	__u64 distance = minus_floored(backstop.least_value, value);
	__u64 time = per_us ? distance * 500 / per_us : 0;

	if (time < BACKSTOP_SHORTEST_NS)
		return BACKSTOP_SHORTEST_NS;
	return time < BACKSTOP_LONGEST_NS ? time : BACKSTOP_LONGEST_NS;
}

#endif
