// SPDX-License-Identifier: Apache-2.0
#include "probe/libbpf_log.h"

#include <gtest/gtest.h>

namespace evictd::probe {
namespace {

// Captured from libbpf 1.1 on a kernel that refuses fentry.
constexpr const char* kRefused =
    "libbpf: prog 'memcg_charge_fentry': BPF program load failed: Operation not permitted\n"
    "libbpf: prog 'memcg_charge_fentry': failed to load: -1\n"
    "libbpf: failed to load object 'evictd_bpf'\n"
    "libbpf: failed to load BPF skeleton 'evictd_bpf': -1\n";

// A verifier's complaint ends with its statistics.
constexpr const char* kRejected =
    "libbpf: prog 'oom_victim_tp': BPF program load failed: Permission denied\n"
    "libbpf: prog 'oom_victim_tp': -- BEGIN PROG LOAD LOG --\n"
    "0: R1=ctx(off=0,imm=0) R10=fp0\n"
    "R1 invalid mem access 'scalar'\n"
    "processed 2 insns (limit 1000000) max_states_per_insn 0\n"
    "-- END PROG LOAD LOG --\n"
    "libbpf: prog 'oom_victim_tp': failed to load: -13\n"
    "libbpf: failed to load object 'evictd_bpf'\n";

TEST(LibbpfLog, NamesTheProgramThatFailed) {
  EXPECT_EQ(failed_program(kRefused), "memcg_charge_fentry");
  EXPECT_EQ(failed_program(kRejected), "oom_victim_tp");
  EXPECT_EQ(failed_program("libbpf: failed to find valid kernel BTF\n"), "");
  EXPECT_EQ(failed_program("prog 'cut off"), "");
}

TEST(LibbpfLog, KeepsTheWordsThatExplain) {
  EXPECT_EQ(last_words(kRefused),
            "prog 'memcg_charge_fentry': BPF program load failed: Operation not permitted");
  EXPECT_EQ(last_words(kRejected), "R1 invalid mem access 'scalar'");
  EXPECT_EQ(last_words("libbpf: failed to find valid kernel BTF\n\n"),
            "failed to find valid kernel BTF");
  EXPECT_EQ(last_words(""), "");
}

}  // namespace
}  // namespace evictd::probe
