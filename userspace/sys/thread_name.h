// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace evictd::sys {

/// Names the calling thread for `top -H` and `ps -L`, which show at most 15 characters; of a longer
/// name it keeps the start. The first thread of a process has the name of the program.
void name_thread(const char* name);

}  // namespace evictd::sys
