// SPDX-License-Identifier: Apache-2.0
// Prints what the verifier of the running kernel spends on each kernel program: one line a program,
// "NAME INSTRUCTIONS STATES", or "NAME refused" where this kernel does not take it. The programs
// are loaded with the initial values of the options, each alone, and none is attached. Of the two
// objects of evictions it is the one that evictd would take (probe/kernel_types.h).
#include <bpf/btf.h>
#include <bpf/libbpf.h>

#include <algorithm>
#include <array>
#include <cstdarg>
#include <cstdio>
#include <memory>
#include <string>
#include <vector>

namespace {

/// Statistics only, not the walk through the program (BPF_LOG_STATS of the kernel).
constexpr std::uint32_t kLogStatistics = 4;
constexpr std::size_t kLogBytes = 1U << 20;

struct ObjectDeleter {
  void operator()(bpf_object* object) const { bpf_object__close(object); }
};
using Object = std::unique_ptr<bpf_object, ObjectDeleter>;

int say_nothing(libbpf_print_level /*level*/, const char* /*format*/, va_list /*words*/) {
  return 0;
}

const char* object_of_evictions() {
  btf* types = btf__load_vmlinux_btf();
  const bool iterators =
      types != nullptr && btf__find_by_name_kind(types, "bpf_iter__cgroup", BTF_KIND_STRUCT) > 0;
  btf__free(types);
  return iterators ? EVICTD_BPF_OBJECT : EVICTD_BOUNDED_OBJECT;
}

Object open_object(const char* file) {
  return Object(bpf_object__open_file(file, nullptr));
}

std::vector<std::string> program_names(const bpf_object& object) {
  std::vector<std::string> names;
  bpf_program* program = nullptr;
  while ((program = bpf_object__next_program(&object, program)) != nullptr) {
    names.emplace_back(bpf_program__name(program));
  }
  return names;
}

/// The number that follows the last `word` in the verifier's summary.
std::string number_after(const std::string& text, const std::string& word) {
  const std::size_t at = text.rfind(word);
  if (at == std::string::npos) {
    return "";
  }
  const std::size_t begin = at + word.size();
  return text.substr(begin, text.find_first_not_of("0123456789", begin) - begin);
}

/// Loads `name` of `file` alone; the verifier's words, empty if it was refused.
std::string load_alone(const char* file, const std::string& name) {
  const Object object = open_object(file);
  if (!object) {
    return "";
  }
  std::vector<char> log(kLogBytes);
  bpf_program* program = nullptr;
  while ((program = bpf_object__next_program(object.get(), program)) != nullptr) {
    const bool wanted = name == bpf_program__name(program);
    bpf_program__set_autoload(program, wanted);
    if (wanted) {
      bpf_program__set_log_level(program, kLogStatistics);
      bpf_program__set_log_buf(program, log.data(), log.size());
    }
  }
  return bpf_object__load(object.get()) == 0 ? std::string(log.data()) : "";
}

/// False if there is no such object.
bool print_programs(const char* file) {
  const Object object = open_object(file);
  if (!object) {
    std::fprintf(stderr, "verifier_stats: cannot open %s\n", file);
    return false;
  }
  for (const std::string& name : program_names(*object)) {
    const std::string log = load_alone(file, name);
    const std::string instructions = number_after(log, "processed ");
    const std::string states = number_after(log, "total_states ");
    if (instructions.empty() || states.empty()) {
      std::printf("%s refused\n", name.c_str());
    } else {
      std::printf("%s %s %s\n", name.c_str(), instructions.c_str(), states.c_str());
    }
  }
  return true;
}

}  // namespace

int main() {
  libbpf_set_print(say_nothing);
  // No name of a program is in two of them.
  const std::array objects = {object_of_evictions(), EVICTD_NOTIFY_OBJECT, EVICTD_PRESSURE_OBJECT};
  return std::all_of(objects.begin(), objects.end(), print_programs) ? 0 : 1;
}
