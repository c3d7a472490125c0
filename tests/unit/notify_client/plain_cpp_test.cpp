// SPDX-License-Identifier: Apache-2.0
// The C header in C++ of the oldest standard that has what it needs.
#include <evictd/abi/notify_wire.h>
#include <evictd/notify.h>

int main() {
  evictd_notify* handle = nullptr;
  return evictd_notify_open("/none/of/this/exists", 0, &handle) == 0 ? 1 : 0;
}
