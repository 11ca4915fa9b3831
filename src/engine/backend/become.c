#define _GNU_SOURCE
#include "become.h"
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#ifdef __linux__
#include <sys/syscall.h>
#endif

extern char **environ;

/* close_range(2) is there from Linux 5.9 on; before it, and elsewhere, each open descriptor is looked up. */
void close_above(int last) {
#ifdef SYS_close_range
  if (syscall(SYS_close_range, (unsigned)last + 1, ~0U, 0U) == 0) {
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
    for (int fd = last + 1; fd < (int)sysconf(_SC_OPEN_MAX); fd += 1) {
      close(fd);
    }
    return;
  }
  for (struct dirent *entry; (entry = readdir(open_ones)) != NULL;) {
    int fd = atoi(entry->d_name);
    if (fd > last && fd != dirfd(open_ones)) {
      close(fd);
    }
  }
  closedir(open_ones);
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

int become(const char *file, char **arguments) {
  close_above(STDERR_FILENO);
  execve(file, arguments, environ);
  if (errno == ENOEXEC) {
    run_as_script(file, arguments + 1);
  }
  int why = errno;
  fprintf(stderr, "shellscope: cannot execute %s: %s\n", file, strerror(why));
  return why == ENOENT ? 127 : 126;
}
