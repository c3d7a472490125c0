// SPDX-License-Identifier: Apache-2.0
// The only program of the images that the tests make. Without arguments it waits for SIGTERM, as
// the process of a sandbox does; with FIFO and BYTES it reads a byte of FIFO, takes that much
// memory, and waits.
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

static void end(int number) {
  (void)number;
  _exit(0);
}

int main(int argc, char** argv) {
  signal(SIGTERM, end);
  if (argc == 3) {
    char byte;
    size_t bytes = strtoull(argv[2], NULL, 10);
    int fifo = open(argv[1], O_RDONLY);
    /* Volatile: what nobody reads would not be written. */
    volatile char* memory = malloc(bytes);

    if (fifo < 0 || memory == NULL || read(fifo, &byte, 1) != 1) return 1;
    for (size_t at = 0; at < bytes; at += 4096) memory[at] = 1;
  }
  for (;;) pause();
}
