// SPDX-License-Identifier: Apache-2.0
#include "test_cgroup.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <fstream>
#include <sstream>
#include <stdexcept>

namespace evictd::test {
namespace {

struct Hierarchy {
  std::string mount;
  std::uint32_t id = 0;
  bool v2 = false;
};

std::string read_all(const std::string& path) {
  std::ifstream file(path);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

void write_all(const std::string& path, const std::string& text) {
  std::ofstream file(path);
  file << text << std::flush;
  if (!file) {
    throw std::runtime_error("write " + text + " to " + path);
  }
}

std::uint32_t hierarchy_id(const std::string& controller) {
  std::istringstream lines(read_all("/proc/self/cgroup"));
  std::string line;
  while (std::getline(lines, line)) {
    if (line.find(":" + controller + ":") != std::string::npos) {
      return static_cast<std::uint32_t>(std::stoul(line));
    }
  }
  return 0;
}

/// Where `controller` lives; v2 when no v1 hierarchy has it.
Hierarchy hierarchy(const std::string& controller) {
  std::istringstream lines(read_all("/proc/mounts"));
  std::string device;
  std::string mount;
  std::string type;
  std::string options;
  std::string rest;
  Hierarchy v2;
  while (lines >> device >> mount >> type >> options && std::getline(lines, rest)) {
    if (type == "cgroup" &&
        ("," + options + ",").find("," + controller + ",") != std::string::npos) {
      return {.mount = mount, .id = hierarchy_id(controller), .v2 = false};
    }
    if (type == "cgroup2") {
      v2 = {.mount = mount, .id = 0, .v2 = true};
    }
  }
  return v2;
}

CgroupId id_of(const std::string& directory, std::uint32_t hierarchy) {
  struct stat info {};
  if (::stat(directory.c_str(), &info) != 0) {
    throw std::runtime_error("stat " + directory);
  }
  return {.hierarchy = hierarchy, .id = info.st_ino};
}

}  // namespace

std::uint64_t stat_value(const std::string& text, const std::string& key) {
  std::istringstream lines(text);
  std::string name;
  std::uint64_t value = 0;
  while (lines >> name >> value) {
    if (name == key) {
      return value;
    }
  }
  return 0;
}

bool cgroups_are_unified() {
  return hierarchy("memory").v2 && hierarchy("pids").v2;
}

TestCgroup::TestCgroup(std::string name) : name_(std::move(name)) {
  const Hierarchy memory = hierarchy("memory");
  const Hierarchy pids = hierarchy("pids");
  memory_directory_ = memory.mount + path();
  pids_directory_ = pids.mount + path();
  ::mkdir(memory_directory_.c_str(), 0755);
  ::mkdir(pids_directory_.c_str(), 0755);
  memory_fd_.reset(::open(memory_directory_.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  pids_fd_.reset(::open(pids_directory_.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  memory_id_ = id_of(memory_directory_, memory.id);
  pids_id_ = id_of(pids_directory_, pids.id);
}

TestCgroup TestCgroup::create() {
  static int count = 0;
  return TestCgroup("evictd-test-" + std::to_string(::getpid()) + "-" + std::to_string(++count));
}

TestCgroup TestCgroup::create_child(const std::string& name) const {
  if (hierarchy("memory").v2) {
    // Not before there are children: from then on a cgroup of v2 takes no process of its own.
    write_all(memory_directory_ + "/cgroup.subtree_control", "+memory +pids");
  }
  return TestCgroup(name_ + "/" + name);
}

TestCgroup::~TestCgroup() {
  if (!name_.empty()) {
    remove();
  }
}

void TestCgroup::attach(pid_t pid) const {
  write_all(memory_directory_ + "/cgroup.procs", std::to_string(pid));
  write_all(pids_directory_ + "/cgroup.procs", std::to_string(pid));
}

void TestCgroup::remove() {
  std::istringstream pids(read_all(pids_directory_ + "/cgroup.procs"));
  pid_t pid = 0;
  while (pids >> pid) {
    ::kill(pid, SIGKILL);
    // Not ours: somebody's child, whose parent reaps it; then rmdir below is tried again.
    ::waitpid(pid, nullptr, 0);
  }
  for (const std::string& directory : {pids_directory_, memory_directory_}) {
    // EBUSY for a moment after the last task is reaped.
    for (int tries = 0; ::rmdir(directory.c_str()) != 0 && errno == EBUSY && tries < 1'000'000;
         ++tries) {
    }
  }
  name_.clear();
}

probe::PodCgroup TestCgroup::pod() const {
  return {.memory = memory_id_,
          .pids = pids_id_,
          .memory_fd = memory_fd_.get(),
          .pids_fd = pids_fd_.get()};
}

std::uint64_t TestCgroup::usage_bytes() const {
  const std::string v1 = read_all(memory_directory_ + "/memory.usage_in_bytes");
  return std::stoull(v1.empty() ? read_all(memory_directory_ + "/memory.current") : v1);
}

std::uint64_t TestCgroup::inactive_file_bytes() const {
  const std::string text = read_all(memory_directory_ + "/memory.stat");
  const bool v1 = text.find("total_inactive_file") != std::string::npos;
  return stat_value(text, v1 ? "total_inactive_file" : "inactive_file");
}

std::uint64_t TestCgroup::tasks() const {
  return std::stoull(read_all(pids_directory_ + "/pids.current"));
}

void TestCgroup::set_memory_limit(std::uint64_t bytes) const {
  const std::string v1 = memory_directory_ + "/memory.limit_in_bytes";
  write_all(::access(v1.c_str(), F_OK) == 0 ? v1 : memory_directory_ + "/memory.max",
            std::to_string(bytes));
}

std::string TestCgroup::read(const std::string& file) const {
  return read_all(memory_directory_ + "/" + file);
}

void TestCgroup::write(const std::string& file, const std::string& text) const {
  write_all(memory_directory_ + "/" + file, text);
}

}  // namespace evictd::test
