/*
 * A child of the figures: prints, notes the time, and ends in the same breath. It is small, so that next to nothing of what
 * is measured is the system's clearing up after it, which nobody can be told the end of any sooner.
 *
 * usage: last-words BYTES FILE
 *   The time is that of CLOCK_MONOTONIC in nanoseconds, as a 64-bit number of this machine, noted after the last byte was
 *   taken. The note is a page in memory that was there before: between the clock and the end lies no call of the system,
 *   which a file system could hold up for milliseconds.
 * usage: last-words --wait PROGRAM [ARGUMENT ...]
 *   Runs the program on a pipe, reads it to its end and waits for its exit, as plainly as can be, and prints how many bytes
 *   came and when it knew of the exit, on the same clock. What the machine itself takes.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static uint64_t nanoseconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (uint64_t)now.tv_sec * 1000000000U + (uint64_t)now.tv_nsec;
}

static int fail(const char *what) {
  perror(what);
  return 1;
}

static int speak(size_t bytes, const char *file) {
  int note = open(file, O_RDWR | O_CREAT, 0600);
  if (note < 0 || ftruncate(note, sizeof(uint64_t)) < 0) {
    return fail(file);
  }
  volatile uint64_t *page = mmap(NULL, sizeof(uint64_t), PROT_READ | PROT_WRITE, MAP_SHARED, note, 0);
  char *words = malloc(bytes);
  if (page == MAP_FAILED || words == NULL) {
    return fail("memory");
  }
  *page = 0;
  memset(words, 'x', bytes);
  for (size_t done = 0; done < bytes;) {
    ssize_t count = write(STDOUT_FILENO, words + done, bytes - done);
    if (count < 0) {
      return fail("stdout");
    }
    done += (size_t)count;
  }
  *page = nanoseconds();
  _exit(0);
}

static int wait_for(char **program) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) < 0) {
    return fail("pipe");
  }
  pid_t pid = fork();
  if (pid == 0) {
    dup2(ends[1], STDOUT_FILENO);
    execv(program[0], program);
    _exit(127);
  }
  close(ends[1]);
  static char buffer[64 * 1024];
  uint64_t bytes = 0;
  for (ssize_t count; (count = read(ends[0], buffer, sizeof buffer)) > 0;) {
    bytes += (uint64_t)count;
  }
  int status = 0;
  if (pid < 0 || waitpid(pid, &status, 0) < 0 || status != 0) {
    return fail(program[0]);
  }
  uint64_t told = nanoseconds();
  printf("%" PRIu64 " %" PRIu64 "\n", bytes, told);
  return 0;
}

int main(int count, char **arguments) {
  if (count >= 3 && strcmp(arguments[1], "--wait") == 0) {
    return wait_for(arguments + 2);
  }
  if (count == 3) {
    return speak(strtoul(arguments[1], NULL, 10), arguments[2]);
  }
  fputs("usage: last-words BYTES FILE | --wait PROGRAM [ARGUMENT ...]\n", stderr);
  return 2;
}
