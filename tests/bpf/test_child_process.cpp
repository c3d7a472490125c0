// SPDX-License-Identifier: Apache-2.0
// What a TestChild runs: it does what it reads from its standard input, a socket, and answers each
// order with a byte.
#include <fcntl.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <string>
#include <utility>
#include <vector>

#include "base/fd.h"
#include "test_work.h"

namespace evictd::test {
namespace {

constexpr std::size_t kPage = 4096;
constexpr std::size_t kHuge = 2U << 20;

/// The child's side: what it holds, and how it does each kind of work.
class Worker {
 public:
  void obey(const Order& order) {
    switch (order.work) {
      case Work::kTouch4K:
        touch(map(order.amount, MADV_NOHUGEPAGE), order.amount, kPage);
        return;
      case Work::kTouchHuge:
        touch(map(order.amount, MADV_HUGEPAGE), order.amount, kPage);
        return;
      case Work::kTouchShared:
        touch(map_shared(order.amount), order.amount, kPage);
        return;
      case Work::kWriteFile:
        write_file(order.amount);
        return;
      case Work::kSyncFiles:
        sync_files();
        return;
      case Work::kReadTwice:
        read_files();
        read_files();
        return;
      case Work::kRelease:
        release();
        return;
      case Work::kFork:
        start(order.amount);
        return;
      case Work::kForkAndTouch:
        start_and_touch(order.amount);
        return;
      case Work::kEndForks:
        end();
        return;
      case Work::kVforkAndTouch:
        touch_by_vfork(order.amount);
        return;
    }
  }

 private:
  char* keep(void* memory, std::size_t size) {
    if (memory == MAP_FAILED) {
      ::_exit(3);
    }
    maps_.emplace_back(memory, size);
    return static_cast<char*>(memory);
  }

  char* map(std::size_t size, int advice) {
    char* memory = keep(
        ::mmap(nullptr, size + kHuge, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0),
        size + kHuge);
    ::madvise(memory, size + kHuge, advice);
    return memory + (kHuge - reinterpret_cast<std::uintptr_t>(memory) % kHuge) % kHuge;
  }

  char* map_shared(std::size_t size) {
    const int fd = ::memfd_create("evictd-test", MFD_CLOEXEC);
    if (::ftruncate(fd, static_cast<off_t>(size)) != 0) {
      ::_exit(3);
    }
    fds_.emplace_back(fd);
    return keep(::mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0), size);
  }

  static void touch(char* memory, std::size_t size, std::size_t step) {
    for (std::size_t at = 0; at < size; at += step) {
      memory[at] = 1;
    }
  }

  /// Not vfork() itself: its child may not call a function.
  void touch_by_vfork(std::size_t size) {
    constexpr std::size_t kStack = 64U << 10;
    struct Errand {
      char* memory = nullptr;
      std::size_t size = 0;
    };
    Errand errand{map(size, MADV_NOHUGEPAGE), size};
    const auto run = [](void* given) {
      const auto* what = static_cast<const Errand*>(given);
      touch(what->memory, what->size, kPage);
      return 0;
    };
    std::vector<char> stack(kStack);
    const pid_t child =
        ::clone(run, stack.data() + stack.size(), CLONE_VM | CLONE_VFORK | SIGCHLD, &errand);
    if (child < 0 || ::waitpid(child, nullptr, 0) != child) {
      ::_exit(3);
    }
  }

  void write_file(std::size_t size) {
    const char* directory = std::getenv("TMPDIR");
    std::string name =
        std::string(directory == nullptr ? "/var/tmp" : directory) + "/evictd-XXXXXX";
    const int fd = ::mkstemp(name.data());
    ::unlink(name.c_str());
    fds_.emplace_back(fd);
    const std::vector<char> block(1U << 20, 'x');
    for (std::size_t done = 0; done < size; done += block.size()) {
      if (::write(fd, block.data(), std::min(block.size(), size - done)) < 0) {
        ::_exit(3);
      }
    }
  }

  void sync_files() const {
    for (const base::Fd& file : fds_) {
      if (::fdatasync(file.get()) != 0) {
        ::_exit(3);
      }
    }
  }

  void read_files() const {
    std::vector<char> block(1U << 20);
    for (const base::Fd& file : fds_) {
      off_t at = 0;
      ssize_t size = 0;
      while ((size = ::pread(file.get(), block.data(), block.size(), at)) > 0) {
        at += size;
      }
    }
  }

  void release() {
    for (const auto& [memory, size] : maps_) {
      ::munmap(memory, size);
    }
    maps_.clear();
    fds_.clear();
  }

  void start(std::uint64_t count) {
    for (std::uint64_t i = 0; i < count; ++i) {
      const pid_t pid = ::fork();
      if (pid == 0) {
        ::prctl(PR_SET_PDEATHSIG, SIGKILL);
        while (true) {
          ::pause();
        }
      }
      children_.push_back(pid);
    }
  }

  /// Returns once everybody has closed the other end of a pipe.
  static void await_end(int pipe) {
    char byte = 0;
    if (::read(pipe, &byte, 1) != 0) {
      ::_exit(3);
    }
  }

  /// Nobody begins before the last one is there, and nobody is waited for before all have begun.
  void start_and_touch(std::uint64_t count) {
    int gun[2] = {-1, -1};
    int done[2] = {-1, -1};
    if (::pipe2(gun, O_CLOEXEC) != 0 || ::pipe2(done, O_CLOEXEC) != 0) {
      ::_exit(3);
    }
    const base::Fd gun_end(gun[0]);
    base::Fd trigger(gun[1]);
    const base::Fd done_end(done[0]);
    base::Fd reports(done[1]);
    for (std::uint64_t i = 0; i < count; ++i) {
      const pid_t pid = ::fork();
      if (pid == 0) {
        ::prctl(PR_SET_PDEATHSIG, SIGKILL);
        trigger.reset();
        await_end(gun_end.get());
        touch(map(kSmallProcess, MADV_NOHUGEPAGE), kSmallProcess, kPage);
        reports.reset();
        while (true) {
          ::pause();
        }
      }
      children_.push_back(pid);
    }
    trigger.reset();
    reports.reset();
    await_end(done_end.get());
  }

  void end() {
    for (const pid_t pid : children_) {
      ::kill(pid, SIGKILL);
    }
    for (const pid_t pid : children_) {
      ::waitpid(pid, nullptr, 0);
    }
    children_.clear();
  }

  std::vector<std::pair<void*, std::size_t>> maps_;
  std::vector<base::Fd> fds_;
  std::vector<pid_t> children_;
};

}  // namespace
}  // namespace evictd::test

int main() {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  evictd::test::Worker worker;
  evictd::test::Order order;
  while (::read(STDIN_FILENO, &order, sizeof(order)) == sizeof(order)) {
    worker.obey(order);
    if (::write(STDIN_FILENO, "", 1) != 1) {
      break;
    }
  }
  return 0;
}
