/*
 * What the kernel and its terminals allow: runs a program on a terminal, throws away what it prints as fast as that can be
 * read, and prints the bytes and the seconds that it took.
 *
 * usage: bare-terminal PROGRAM [ARGUMENT ...]
 */
#define _GNU_SOURCE
#include <errno.h>
#include <pty.h>
#include <stdio.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static char piece[64 * 1024];

static double seconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

int main(int argc, char **argv) {
  if (argc < 2) {
    fprintf(stderr, "usage: bare-terminal PROGRAM [ARGUMENT ...]\n");
    return 2;
  }
  struct winsize size = {.ws_row = 24, .ws_col = 80};
  int master = -1;
  double since = seconds();
  pid_t child = forkpty(&master, NULL, NULL, &size);
  if (child < 0) {
    perror("forkpty");
    return 1;
  }
  if (child == 0) {
    execv(argv[1], argv + 1);
    perror(argv[1]);
    _exit(127);
  }
  long long bytes = 0;
  for (;;) {
    ssize_t count = read(master, piece, sizeof piece);
    if (count > 0) {
      bytes += count;
    } else if (count == 0 || errno != EINTR) {
      break;
    }
  }
  double took = seconds() - since;
  int status = 0;
  waitpid(child, &status, 0);
  printf("%lld %f\n", bytes, took);
  return status == 0 ? 0 : 1;
}
