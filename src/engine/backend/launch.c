/*
 * Becomes a program that has no open descriptor but its three streams, under a name of its own.
 *
 * usage: launch [--cgroup PROCS_FILE] [--stdin-from DESCRIPTOR] -- NAME FILE [ARGUMENT ...]
 *        launch --serve      forks others: see fork-server.c
 *
 * Node can neither close what a child would inherit nor name it; a shell in between would change its environment. This
 * has nothing of its own: what it is given goes on as it is. What cannot be executed ends with 126, what is not there
 * with 127, as in sh, and a sentence on stderr.
 */
#define _GNU_SOURCE
#include "become.h"
#include "fork-server.h"
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* "0" stands for whoever writes it. Whoever made the group sees when it has no members. */
static void join_cgroup(const char *procs_file) {
  int fd = open(procs_file, O_WRONLY | O_CLOEXEC);
  if (fd >= 0) {
    ssize_t written = write(fd, "0", 1);
    (void)written;
    close(fd);
  }
}

int main(int argc, char **argv) {
  if (argc == 2 && strcmp(argv[1], "--serve") == 0) {
    return serve();
  }
  int at = 1;
  if (argc > at + 1 && strcmp(argv[at], "--cgroup") == 0) {
    join_cgroup(argv[at + 1]);
    at += 2;
  }
  /* libuv makes blocking what it hands over as one of the first three, for the host as well: it is one open file. */
  if (argc > at + 1 && strcmp(argv[at], "--stdin-from") == 0) {
    if (dup2(atoi(argv[at + 1]), STDIN_FILENO) < 0) {
      return 2;
    }
    at += 2;
  }
  /* NAME and what follows are a client's: without the mark they could be taken for options. */
  if (argc - at < 3 || strcmp(argv[at], "--") != 0) {
    fprintf(stderr, "usage: launch [--cgroup PROCS_FILE] [--stdin-from DESCRIPTOR] -- NAME FILE [ARGUMENT ...] | --serve\n");
    return 2;
  }
  at += 1;
  const char *file = argv[at + 1];
  /* NAME takes the place of FILE, so that what follows is the program's argv. */
  argv[at + 1] = argv[at];
  return become(file, argv + at + 1);
}
