// SPDX-License-Identifier: Apache-2.0
#include "probe/libbpf_log.h"

#include <bpf/libbpf.h>
#include <gtest/gtest.h>

#include <atomic>
#include <cstdarg>
#include <future>
#include <optional>
#include <thread>

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

/// Warnings that the host's print function has got.
std::atomic<int>& told() {
  static std::atomic<int> count = 0;
  return count;
}

int host_print(libbpf_print_level level, const char* /*format*/, va_list /*arguments*/) {
  told() += level == LIBBPF_WARN ? 1 : 0;
  return 0;
}

int later_print(libbpf_print_level /*level*/, const char* /*format*/, va_list /*arguments*/) {
  return 0;
}

/// A host of the library that has set libbpf's print function.
class LibbpfPrinter : public testing::Test {
 protected:
  void SetUp() override {
    before_ = libbpf_set_print(host_print);
    told() = 0;
  }
  void TearDown() override { libbpf_set_print(before_); }

  static void have_libbpf_warn() { EXPECT_EQ(bpf_object__open("/none/of/this"), nullptr); }

 private:
  libbpf_print_fn_t before_ = nullptr;
};

TEST_F(LibbpfPrinter, StaysInPlaceWhenTheLogsOfTwoThreadsOverlap) {
  std::promise<void> second_has_begun;
  std::promise<void> first_has_ended;
  std::optional<LibbpfLog> first(std::in_place);
  std::thread thread([&] {
    const LibbpfLog second;
    second_has_begun.set_value();
    first_has_ended.get_future().wait();
    have_libbpf_warn();
    EXPECT_NE(second.text().find("/none/of/this"), std::string::npos);
  });
  second_has_begun.get_future().wait();
  have_libbpf_warn();
  EXPECT_NE(first->text().find("/none/of/this"), std::string::npos);
  first.reset();
  first_has_ended.set_value();
  thread.join();
  EXPECT_EQ(told(), 0);
  EXPECT_TRUE(libbpf_set_print(host_print) == host_print);
}

TEST_F(LibbpfPrinter, HearsWhatLibbpfSaysOnOtherThreads) {
  const LibbpfLog log;
  std::thread thread([] { have_libbpf_warn(); });
  thread.join();
  EXPECT_GT(told(), 0);
  EXPECT_EQ(log.text(), "");
}

TEST_F(LibbpfPrinter, ThatWasSetDuringALogStays) {
  {
    const LibbpfLog log;
    libbpf_set_print(later_print);
  }
  EXPECT_TRUE(libbpf_set_print(host_print) == later_print);
}

TEST_F(LibbpfPrinter, IsOutOfPlaceUntilTheOuterOfTwoLogsEnds) {
  {
    const LibbpfLog outer;
    { const LibbpfLog inner; }
    have_libbpf_warn();
    EXPECT_NE(outer.text(), "");
    EXPECT_EQ(told(), 0);
  }
  have_libbpf_warn();
  EXPECT_GT(told(), 0);
}

}  // namespace
}  // namespace evictd::probe
