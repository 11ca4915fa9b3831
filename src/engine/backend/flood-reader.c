/*
 * Reads a terminal whose output is a flood, and hands it on in large pieces.
 *
 * usage: flood-reader SILENCE_MS      stdin: the terminal's master, non-blocking · stdout: a pipe
 *
 * The kernel holds some 12 KiB of a terminal's output, and its writer stands still while nobody reads: whoever reads must
 * do nothing else. Ends with 0 when nothing came for so many milliseconds, when nothing can come any more, and on SIGTERM
 * or when nobody takes what was read; each byte that it took from the terminal was handed on before.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/signalfd.h>
#include <unistd.h>

static char piece[64 * 1024];

/* Fills the piece as far as there is something; 0: nothing for now. -1: nothing can come any more. */
static ssize_t read_piece(void) {
  size_t length = 0;
  while (length < sizeof piece) {
    ssize_t count = read(STDIN_FILENO, piece + length, sizeof piece - length);
    if (count > 0) {
      length += (size_t)count;
    } else if (count < 0 && errno == EINTR) {
      continue;
    } else if (length > 0 || (count < 0 && errno == EAGAIN)) {
      break;
    } else {
      return -1;
    }
  }
  return (ssize_t)length;
}

/* False: nobody takes it. */
static int hand_on(const char *bytes, size_t length) {
  while (length > 0) {
    ssize_t count = write(STDOUT_FILENO, bytes, length);
    if (count >= 0) {
      bytes += count;
      length -= (size_t)count;
    } else if (errno != EINTR) {
      return 0;
    }
  }
  return 1;
}

int main(int argc, char **argv) {
  char *end = NULL;
  long silence_ms = argc == 2 ? strtol(argv[1], &end, 10) : 0;
  if (silence_ms <= 0 || silence_ms > 60 * 1000 || *end != '\0') {
    fprintf(stderr, "usage: flood-reader SILENCE_MS\n");
    return 2;
  }
  signal(SIGPIPE, SIG_IGN);
  sigset_t asked_to_end;
  sigemptyset(&asked_to_end);
  sigaddset(&asked_to_end, SIGTERM);
  sigprocmask(SIG_BLOCK, &asked_to_end, NULL);
  struct pollfd awaited[] = {
      {.fd = STDIN_FILENO, .events = POLLIN},
      {.fd = signalfd(-1, &asked_to_end, SFD_CLOEXEC), .events = POLLIN},
  };
  for (;;) {
    int ready = poll(awaited, 2, (int)silence_ms);
    if (ready < 0 && errno == EINTR) {
      continue;
    }
    if (ready <= 0 || awaited[1].revents != 0) {
      return ready < 0;
    }
    ssize_t length = read_piece();
    if (length < 0 || !hand_on(piece, (size_t)length)) {
      return 0;
    }
  }
}
