/*
 * Becomes a program that has no open descriptor but its three streams, under a name of its own.
 *
 * usage: launch [--cgroup PROCS_FILE] [--stdin-from DESCRIPTOR] -- NAME FILE [ARGUMENT ...]
 *
 * Node can neither close what a child would inherit nor name it; a shell in between would change its environment. This
 * has nothing of its own: what it is given goes on as it is. What cannot be executed ends with 126, what is not there
 * with 127, as in sh, and a sentence on stderr.
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#ifdef __linux__
#include <sys/syscall.h>
#endif

extern char **environ;

/* close_range(2) is there from Linux 5.9 on; before it, and elsewhere, each open descriptor is looked up. */
static void close_above_stderr(void) {
#ifdef SYS_close_range
  if (syscall(SYS_close_range, 3U, ~0U, 0U) == 0) {
    return;
  }
#endif
#ifdef __linux__
  const char *folder = "/proc/self/fd";
#else
  const char *folder = "/dev/fd";
#endif
  DIR *open_ones = opendir(folder);
  if (open_ones == NULL) {
    for (int fd = 3; fd < (int)sysconf(_SC_OPEN_MAX); fd += 1) {
      close(fd);
    }
    return;
  }
  for (struct dirent *entry; (entry = readdir(open_ones)) != NULL;) {
    int fd = atoi(entry->d_name);
    if (fd > 2 && fd != dirfd(open_ones)) {
      close(fd);
    }
  }
  closedir(open_ones);
}

/* "0" stands for whoever writes it. Whoever made the group sees when it has no members. */
static void join_cgroup(const char *procs_file) {
  int fd = open(procs_file, O_WRONLY | O_CLOEXEC);
  if (fd >= 0) {
    ssize_t written = write(fd, "0", 1);
    (void)written;
    close(fd);
  }
}

/* A file without a format is a script for the shell (execvp(3)). */
static void run_as_script(const char *file, char **arguments) {
  int count = 0;
  while (arguments[count] != NULL) {
    count += 1;
  }
  char **words = calloc((size_t)count + 3, sizeof(char *));
  if (words != NULL) {
    words[0] = "/bin/sh";
    words[1] = (char *)file;
    memcpy(words + 2, arguments, (size_t)count * sizeof(char *));
    execve("/bin/sh", words, environ);
  }
}

int main(int argc, char **argv) {
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
    fprintf(stderr, "usage: launch [--cgroup PROCS_FILE] [--stdin-from DESCRIPTOR] -- NAME FILE [ARGUMENT ...]\n");
    return 2;
  }
  at += 1;
  const char *file = argv[at + 1];
  /* NAME takes the place of FILE, so that what follows is the program's argv. */
  argv[at + 1] = argv[at];
  close_above_stderr();
  execve(file, argv + at + 1, environ);
  if (errno == ENOEXEC) {
    run_as_script(file, argv + at + 2);
  }
  int why = errno;
  fprintf(stderr, "shellscope: cannot execute %s: %s\n", file, strerror(why));
  return why == ENOENT ? 127 : 126;
}
