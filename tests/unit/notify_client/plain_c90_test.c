/* SPDX-License-Identifier: Apache-2.0 */
/* A program in strict C90, the oldest that has uint64_t from its library: the header is enough
 * alone. */
#include <evictd/notify.h>

#include <errno.h>
#include <string.h>

int main(void) {
  struct evictd_notify_watch watch;
  uint64_t id = 0;
  memset(&watch, 0, sizeof(watch));
  watch.direction = EVICTD_NOTIFY_UP;
  return evictd_notify_register(NULL, "/", &watch, 0, &id) == EFAULT ? 0 : 1;
}
