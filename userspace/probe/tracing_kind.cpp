// SPDX-License-Identifier: Apache-2.0
#include "probe/tracing_kind.h"

#include <bpf/bpf.h>
#include <linux/bpf.h>

#include <array>
#include <cerrno>
#include <system_error>

#include "base/fd.h"

namespace evictd::probe {
namespace {

/// The first type of the kernel's BTF is a number, so that no program can be attached to it.
constexpr std::uint32_t kNoFunction = 1;

bpf_attach_type attach_type_of(TracingKind kind) {
  switch (kind) {
    case TracingKind::kFentry:
      return BPF_TRACE_FENTRY;
    case TracingKind::kFexit:
      return BPF_TRACE_FEXIT;
  }
  return BPF_TRACE_FENTRY;
}

/// The errno of an attempt to load "return 0".
int answer_to(bpf_attach_type type) {
  bpf_insn zero{};
  zero.code = BPF_ALU64 | BPF_MOV | BPF_K;
  bpf_insn end{};
  end.code = BPF_JMP | BPF_EXIT;
  const std::array<bpf_insn, 2> program{zero, end};
  bpf_prog_load_opts options{};
  options.sz = sizeof(options);
  options.expected_attach_type = type;
  options.attach_btf_id = kNoFunction;
  const base::Fd loaded(bpf_prog_load(BPF_PROG_TYPE_TRACING, "evictd_kind", "GPL", program.data(),
                                      program.size(), &options));
  return loaded ? 0 : errno;
}

}  // namespace

bool is_refused(int answer, int answer_to_tracepoint) {
  return answer == EPERM && answer_to_tracepoint != EPERM;
}

std::string refusal_of(TracingKind kind) {
  const int answer = answer_to(attach_type_of(kind));
  if (!is_refused(answer, answer_to(BPF_TRACE_RAW_TP))) {
    return "";
  }
  const std::string name = kind == TracingKind::kFentry ? "fentry" : "fexit";
  return "the kernel refuses programs of " + name + ": " + std::generic_category().message(answer);
}

}  // namespace evictd::probe
