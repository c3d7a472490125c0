// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <pthread.h>

namespace evictd::base {

/// A mutex for threads of different priority. The owner runs at the highest priority of its waiters
/// (priority inheritance), so no thread of medium priority delays a waiter. Works with
/// std::scoped_lock and the like. Where the kernel has no priority inheritance it is an ordinary
/// mutex.
class PriorityMutex {
 public:
  PriorityMutex() {
    pthread_mutexattr_t attributes{};
    ::pthread_mutexattr_init(&attributes);
    ::pthread_mutexattr_setprotocol(&attributes, PTHREAD_PRIO_INHERIT);
    ::pthread_mutex_init(&mutex_, &attributes);
    ::pthread_mutexattr_destroy(&attributes);
  }
  PriorityMutex(const PriorityMutex&) = delete;
  PriorityMutex& operator=(const PriorityMutex&) = delete;
  ~PriorityMutex() { ::pthread_mutex_destroy(&mutex_); }

  void lock() { ::pthread_mutex_lock(&mutex_); }
  void unlock() { ::pthread_mutex_unlock(&mutex_); }

 private:
  pthread_mutex_t mutex_ = PTHREAD_MUTEX_INITIALIZER;
};

}  // namespace evictd::base
