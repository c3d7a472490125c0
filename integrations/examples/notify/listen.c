// SPDX-License-Identifier: Apache-2.0
/*
 * Prints a line whenever a cgroup's usage crosses a threshold, and ends when the cgroup is removed.
 *
 *   cc listen.c $(pkg-config --cflags --libs evictd-notify) -o listen
 *   ./listen /sys/fs/cgroup/mypod 104857600 [SOCKET]
 */
#include <errno.h>
#include <evictd/notify.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

static int failed(const char* what, int error) {
  fprintf(stderr, "listen: %s: %s\n", what, strerror(error));
  return EXIT_FAILURE;
}

int main(int argc, char** argv) {
  if (argc < 3 || argc > 4) {
    fprintf(stderr, "usage: listen CGROUP BYTES [SOCKET]\n");
    return 2;
  }
  evictd_notify* notify = NULL;
  int error = evictd_notify_open(argc == 4 ? argv[3] : NULL, 0, &notify);
  if (error != 0) return failed("is evictd running?", error);
  int fd = eventfd(0, EFD_CLOEXEC);
  struct evictd_notify_watch watch = {.signal = EVICTD_NOTIFY_USAGE,
                                      .threshold = strtoull(argv[2], NULL, 10)};
  error = evictd_notify_register(notify, argv[1], &watch, fd, NULL);
  if (error != 0) return failed(argv[1], error);
  puts("listening");
  fflush(stdout);
  while (1) {
    uint64_t crossings = 0;
    if (read(fd, &crossings, sizeof(crossings)) != sizeof(crossings)) {
      if (errno == EINTR) continue;
      return failed("read", errno);
    }
    /* The removal of the cgroup is an event too, and so is a restart of evictd: look for yourself.
     */
    if (access(argv[1], F_OK) != 0 && errno == ENOENT) {
      puts("removed");
      break;
    }
    printf("crossed %llu\n", (unsigned long long)crossings);
    fflush(stdout);
  }
  evictd_notify_close(notify);
  close(fd);
  return EXIT_SUCCESS;
}
