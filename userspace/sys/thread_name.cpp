// SPDX-License-Identifier: Apache-2.0
#include "sys/thread_name.h"

#include <sys/prctl.h>

namespace evictd::sys {

void name_thread(const char* name) {
  // Fails only for an unreadable address. Source: PR_SET_NAME(2const).
  static_cast<void>(::prctl(PR_SET_NAME, name));
}

}  // namespace evictd::sys
