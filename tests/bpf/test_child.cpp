// SPDX-License-Identifier: Apache-2.0
#include "test_child.h"

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <stdexcept>
#include <vector>

namespace evictd::test {
namespace {

constexpr const char* kProgram = EVICTD_TEST_CHILD;

base::Fd open_and_read(const char* path) {
  base::Fd program(::open(path, O_RDONLY | O_CLOEXEC));
  if (!program) {
    throw std::runtime_error(path);
  }
  std::vector<char> block(1U << 16);
  while (::read(program.get(), block.data(), block.size()) > 0) {
  }
  return program;
}

/// Has its file read, once, and keeps it open: its pages are not charged to the first cgroup that
/// runs it.
void read_program() {
  static const base::Fd program = open_and_read(kProgram);
}

[[noreturn]] void become_worker(int socket) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  char placed = 0;
  if (::read(socket, &placed, 1) == 1 && ::dup2(socket, STDIN_FILENO) == STDIN_FILENO) {
    char name[] = "evictd-test-child";
    char* arguments[] = {name, nullptr};
    // By its name: Debian's 5.10 answers fexecve() with ENOENT.
    ::execv(kProgram, arguments);
  }
  ::_exit(3);
}

}  // namespace

TestChild::TestChild(const TestCgroup& cgroup) {
  int pair[2] = {-1, -1};
  if (::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) != 0) {
    throw std::runtime_error("socketpair");
  }
  const base::Fd theirs(pair[1]);
  socket_.reset(pair[0]);
  read_program();
  pid_ = ::fork();
  if (pid_ == 0) {
    socket_.reset();
    become_worker(theirs.get());
  }
  cgroup.attach(pid_);
  // Only now may it become what is charged to the cgroup.
  static_cast<void>(::send(socket_.get(), "", 1, MSG_NOSIGNAL));
}

TestChild::~TestChild() {
  kill_and_reap();
}

void TestChild::kill_and_reap() {
  if (pid_ > 0) {
    static_cast<void>(run(Work::kEndForks));
    ::kill(pid_, SIGKILL);
    ::waitpid(pid_, nullptr, 0);
    pid_ = -1;
  }
}

void TestChild::start(Work work, std::uint64_t amount) {
  const Order order{.work = work, .amount = amount};
  // A dead child shows when its answer is read.
  static_cast<void>(::send(socket_.get(), &order, sizeof(order), MSG_NOSIGNAL));
}

bool TestChild::run(Work work, std::uint64_t amount) {
  start(work, amount);
  return wait();
}

bool TestChild::wait() {
  char answer = 0;
  return ::read(socket_.get(), &answer, 1) == 1;
}

}  // namespace evictd::test
