// SPDX-License-Identifier: Apache-2.0
// The only program of the tests' images. Without arguments it waits for SIGTERM, like the process
// of a sandbox. With FIFO and BYTES it reads a byte from FIFO, allocates that much memory, and
// waits. With FIFO, BYTES and FILE it writes that much to FILE instead.
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

static void end(int number) {
  (void)number;
  _exit(0);
}

static int is_told(const char* path) {
  char byte;
  int fifo = open(path, O_RDONLY);

  return fifo >= 0 && read(fifo, &byte, 1) == 1;
}

static int take(size_t bytes) {
  /* Volatile: the compiler would remove writes that nothing reads. */
  volatile char* memory = malloc(bytes);

  if (memory == NULL) return 0;
  for (size_t at = 0; at < bytes; at += 4096) memory[at] = 1;
  return 1;
}

static int fill(const char* path, size_t bytes) {
  static const char page[4096];
  int file = open(path, O_WRONLY | O_CREAT, 0600);

  if (file < 0) return 0;
  for (size_t at = 0; at < bytes; at += sizeof(page)) {
    if (write(file, page, sizeof(page)) != sizeof(page)) return 0;
  }
  return 1;
}

int main(int argc, char** argv) {
  signal(SIGTERM, end);
  if (argc >= 3) {
    size_t bytes = strtoull(argv[2], NULL, 10);

    if (!is_told(argv[1])) return 1;
    if (argc == 4 ? !fill(argv[3], bytes) : !take(bytes)) return 1;
  }
  for (;;) pause();
}
