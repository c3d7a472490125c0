// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace evictd::sys {

/// Names the calling thread for `top -H` and `ps -L`. Keeps the first 15 characters of a longer
/// name. On the first thread of a process this changes the program's name.
void name_thread(const char* name);

}  // namespace evictd::sys
