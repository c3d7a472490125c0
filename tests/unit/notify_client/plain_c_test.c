// SPDX-License-Identifier: Apache-2.0
// A program in C that uses the shared library: compiles as C11 without extensions, and every
// function is exported. What it checks needs no evictd.
#include <evictd/abi/notify_wire.h>
#include <evictd/notify.h>

#include <errno.h>
#include <stddef.h>
#include <stdio.h>

static int failures;

static void expect(int got, int wanted, const char* what) {
  if (got != wanted) {
    fprintf(stderr, "%s: %d, not %d\n", what, got, wanted);
    ++failures;
  }
}

int main(void) {
  evictd_notify* handle = NULL;
  struct evictd_notify_watch watch = {.threshold = EVICTD_NOTIFY_PERCENT(50),
                                      .unit = EVICTD_NOTIFY_OF_LIMIT};
  struct evictd_notify_state state;
  struct evictd_notify_info info;
  uint64_t id = 0;
  expect(watch.threshold == EVICTD_NOTIFY_WHOLE / 2, 1, "half");
  expect(evictd_notify_open("/none/of/this/exists", 0, &handle), ENOENT, "open");
  expect(evictd_notify_register(handle, "/", &watch, 0, &id), EFAULT, "register");
  expect(evictd_notify_register_at(handle, 0, &watch, 0, &id), EFAULT, "register_at");
  expect(evictd_notify_register_control(handle, "/", "1M", 0, &id), EFAULT, "register_control");
  expect(evictd_notify_unregister(handle, 1), EFAULT, "unregister");
  expect(evictd_notify_query(handle, 1, &state), EFAULT, "query");
  expect(evictd_notify_get_info(handle, &info), EFAULT, "get_info");
  evictd_notify_close(NULL);
  return failures != 0;
}
