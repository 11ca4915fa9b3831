/*
 * Forks children in place of the host, whose every page a fork would have to note (some 3 ms for each 100 MB on a virtual
 * machine), while its loop stands still. This process has a few pages.
 *
 * stdin, each request after its length in bytes (32 bits, the lowest first), made of strings that end with a NUL:
 *   start   PLACE CWD FILE COUNT NAME [ARGUMENT ...] [NAME=VALUE ...]     COUNT: of NAME and arguments
 *           PLACE: the path of a terminal's slave, or `pipes`, or `pipes-without-stdin`
 *   pipe    BYTES              one for the host itself, which holds so much where the system lets it
 *   taken   DESCRIPTOR ...     the host has opened these, by way of /proc/PID/fd
 *   widen   PATH               of a pipe, which is in a flood: it shall hold 1 MiB where the system lets it (64 KiB at first)
 *
 * stdout, a line each. One of these for each start and pipe, in order:
 *   forked PID                         on a terminal
 *   forked PID STDIN STDOUT STDERR     the host's ends of the pipes, as descriptors of this process; -1: no stdin
 *   piped READ WRITE                   both ends of a pipe, as descriptors of this process
 *   failed ERRNO
 * and when a child was reaped, never before it was told:
 *   exited PID CODE | killed PID SIGNAL
 *
 * A child begins with no signal ignored or blocked, as leader of a session of its own. Ends when stdin ends, and with
 * the host; its children live on, as the host's do.
 */
#define _GNU_SOURCE
#include "fork-server.h"
#include "become.h"
#ifdef __linux__
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

extern char **environ;

/* The host checks its arguments against the kernel's own bound, which is lower. */
enum { MAX_REQUEST_BYTES = 64 * 1024 * 1024, WIDE_PIPE_BYTES = 1024 * 1024 };

/* A child's descriptor of its directory, until it is in it. */
enum { HELD_DIRECTORY = 3 };

static const char *const WITH_STDIN = "pipes";
static const char *const WITHOUT_STDIN = "pipes-without-stdin";

/* What was read of stdin and is not dealt with yet. */
static char *pending = NULL;
static size_t pending_length = 0;
static size_t pending_room = 0;

static void answer(const char *line) {
  size_t length = strlen(line);
  while (length > 0) {
    ssize_t count = write(STDOUT_FILENO, line, length);
    if (count >= 0) {
      line += count;
      length -= (size_t)count;
    } else if (errno != EINTR) {
      /* Nobody is there to be told; stdin ends as well. */
      return;
    }
  }
}

static void close_all(int *descriptors, int count) {
  for (int at = 0; at < count; at += 1) {
    if (descriptors[at] >= 0) {
      close(descriptors[at]);
      descriptors[at] = -1;
    }
  }
}

/* As node-pty makes a terminal, with UTF-8: much as it is for a person who logs in. */
static void make_sane(int terminal) {
  struct termios modes = {0};
  modes.c_iflag = ICRNL | IXON | IXANY | IMAXBEL | BRKINT | IUTF8;
  modes.c_oflag = OPOST | ONLCR;
  modes.c_cflag = CREAD | CS8 | HUPCL;
  modes.c_lflag = ICANON | ISIG | IEXTEN | ECHO | ECHOE | ECHOK | ECHOKE | ECHOCTL;
  modes.c_cc[VEOF] = 4;
  modes.c_cc[VEOL] = (cc_t)-1;
  modes.c_cc[VEOL2] = (cc_t)-1;
  modes.c_cc[VERASE] = 0x7f;
  modes.c_cc[VWERASE] = 23;
  modes.c_cc[VKILL] = 21;
  modes.c_cc[VREPRINT] = 18;
  modes.c_cc[VINTR] = 3;
  modes.c_cc[VQUIT] = 0x1c;
  modes.c_cc[VSUSP] = 26;
  modes.c_cc[VSTART] = 17;
  modes.c_cc[VSTOP] = 19;
  modes.c_cc[VLNEXT] = 22;
  modes.c_cc[VDISCARD] = 15;
  modes.c_cc[VMIN] = 1;
  cfsetispeed(&modes, B38400);
  cfsetospeed(&modes, B38400);
  tcsetattr(terminal, TCSANOW, &modes);
}

/* In the child. `ends`: its own of the pipes, -1 for /dev/null; NULL on a terminal. */
static void connect_streams(const char *terminal, const int *ends) {
  for (int stream = 0; stream < 3; stream += 1) {
    int fd = ends == NULL ? -1 : ends[stream];
    if (fd < 0) {
      /* Of a leader without a terminal the first one that it opens becomes its own. */
      fd = open(ends == NULL ? terminal : "/dev/null", O_RDWR);
    }
    if (fd < 0 || dup2(fd, stream) < 0) {
      _exit(126);
    }
    if (ends == NULL && stream == 0) {
      make_sane(fd);
    }
    if (fd > 2) {
      close(fd);
    }
  }
}

/* `arguments` and `environment` end with NULL. 0, or why there is no child. */
static int start(const char *place, const char *cwd, const char *file, char **arguments, char **environment) {
  int is_piped = strcmp(place, WITH_STDIN) == 0 || strcmp(place, WITHOUT_STDIN) == 0;
  int hosts[3] = {-1, -1, -1};
  int childs[3] = {-1, -1, -1};
  for (int stream = strcmp(place, WITH_STDIN) == 0 ? 0 : 1; is_piped && stream < 3; stream += 1) {
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) < 0) {
      int why = errno;
      close_all(hosts, 3);
      close_all(childs, 3);
      return why;
    }
    hosts[stream] = ends[stream == 0 ? 1 : 0];
    childs[stream] = ends[stream == 0 ? 0 : 1];
  }
  /* Held before the fork: CWD leads to a descriptor of the host, which lets go of it when it has the answer. */
  int directory = open(cwd, O_PATH | O_DIRECTORY | O_CLOEXEC);
  pid_t pid = directory < 0 ? -1 : fork();
  int why = pid < 0 ? errno : 0;
  if (pid == 0) {
    setsid();
    connect_streams(place, is_piped ? childs : NULL);
    /* Nothing of others is held while this takes its time, as it may on a network. */
    dup2(directory, HELD_DIRECTORY);
    close_above(HELD_DIRECTORY);
    if (fchdir(HELD_DIRECTORY) < 0) {
      fprintf(stderr, "shellscope: cannot enter the directory: %s\n", strerror(errno));
      _exit(126);
    }
    environ = environment;
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    _exit(become(file, arguments));
  }
  close_all(childs, 3);
  if (directory >= 0) {
    close(directory);
  }
  if (pid < 0) {
    close_all(hosts, 3);
    return why;
  }
  char line[96];
  if (is_piped) {
    snprintf(line, sizeof line, "forked %d %d %d %d\n", (int)pid, hosts[0], hosts[1], hosts[2]);
  } else {
    snprintf(line, sizeof line, "forked %d\n", (int)pid);
  }
  answer(line);
  return 0;
}

/* Strings of a request, one after the other. */
struct strings {
  char *next;
  char *end;
};

static char *next_string(struct strings *rest) {
  char *text = rest->next;
  if (text >= rest->end) {
    return NULL;
  }
  rest->next = text + strlen(text) + 1;
  return text;
}

static int start_as_asked(struct strings *rest) {
  const char *place = next_string(rest);
  const char *cwd = next_string(rest);
  const char *file = next_string(rest);
  const char *count_text = next_string(rest);
  long count = count_text == NULL ? 0 : strtol(count_text, NULL, 10);
  size_t most = 0;
  for (char *at = rest->next; at < rest->end; at += strlen(at) + 1) {
    most += 1;
  }
  if (count < 1 || (size_t)count > most) {
    return EINVAL;
  }
  /* Arguments and environment, each with a NULL behind it. */
  char **words = calloc(most + 2, sizeof(char *));
  if (words == NULL) {
    return ENOMEM;
  }
  char **environment = words + count + 1;
  for (size_t at = 0; at < most; at += 1) {
    words[at < (size_t)count ? at : at + 1] = next_string(rest);
  }
  int why = start(place, cwd, file, words, environment);
  free(words);
  return why;
}

/* 0, or why there is no pipe. */
static int make_pipe(const char *bytes) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) < 0) {
    return errno;
  }
  fcntl(ends[1], F_SETPIPE_SZ, bytes == NULL ? 0 : atoi(bytes));
  char line[48];
  snprintf(line, sizeof line, "piped %d %d\n", ends[0], ends[1]);
  answer(line);
  return 0;
}

/* The strings end with a NUL. 0: it is no request. */
static int handle(char *text, size_t length) {
  struct strings rest = {text, text + length};
  const char *verb = next_string(&rest);
  if (verb != NULL && strcmp(verb, "taken") == 0) {
    for (char *number; (number = next_string(&rest)) != NULL;) {
      close(atoi(number));
    }
    return 1;
  }
  if (verb != NULL && strcmp(verb, "widen") == 0) {
    const char *path = next_string(&rest);
    int fd = path == NULL ? -1 : open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    if (fd >= 0) {
      fcntl(fd, F_SETPIPE_SZ, WIDE_PIPE_BYTES);
      close(fd);
    }
    return 1;
  }
  int is_pipe = verb != NULL && strcmp(verb, "pipe") == 0;
  if (!is_pipe && (verb == NULL || strcmp(verb, "start") != 0)) {
    return 0;
  }
  int why = is_pipe ? make_pipe(next_string(&rest)) : start_as_asked(&rest);
  if (why != 0) {
    char line[32];
    snprintf(line, sizeof line, "failed %d\n", why);
    answer(line);
  }
  return 1;
}

/* 0: stdin has ended, or what it gives is no request. */
static int read_requests(void) {
  if (pending_room - pending_length < 64 * 1024) {
    size_t room = pending_room * 2 + 128 * 1024;
    char *larger = realloc(pending, room);
    if (larger == NULL) {
      return 0;
    }
    pending = larger;
    pending_room = room;
  }
  ssize_t count = read(STDIN_FILENO, pending + pending_length, pending_room - pending_length);
  if (count <= 0) {
    return count < 0 && (errno == EINTR || errno == EAGAIN);
  }
  pending_length += (size_t)count;
  size_t done = 0;
  uint32_t length = 0;
  while (pending_length - done >= sizeof length) {
    const unsigned char *bytes = (const unsigned char *)pending + done;
    length = bytes[0] | (uint32_t)bytes[1] << 8 | (uint32_t)bytes[2] << 16 | (uint32_t)bytes[3] << 24;
    if (length == 0 || length > MAX_REQUEST_BYTES) {
      return 0;
    }
    if (pending_length - done - sizeof length < length) {
      break;
    }
    char *text = pending + done + sizeof length;
    if (text[length - 1] != '\0' || !handle(text, length)) {
      return 0;
    }
    done += sizeof length + length;
  }
  memmove(pending, pending + done, pending_length - done);
  pending_length -= done;
  if (pending_length == 0 && pending_room > 1024 * 1024) {
    /* Each fork would have to note it. */
    free(pending);
    pending = NULL;
    pending_room = 0;
  }
  return 1;
}

static void tell_exits(void) {
  int status = 0;
  for (pid_t pid; (pid = waitpid(-1, &status, WNOHANG)) > 0;) {
    char line[48];
    if (WIFSIGNALED(status)) {
      snprintf(line, sizeof line, "killed %d %d\n", (int)pid, WTERMSIG(status));
    } else {
      snprintf(line, sizeof line, "exited %d %d\n", (int)pid, WEXITSTATUS(status));
    }
    answer(line);
  }
}

int serve(void) {
  /* Also while it is stopped; before this line the end of stdin tells it. */
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  for (int number = 1; number < NSIG; number += 1) {
    signal(number, SIG_DFL);
  }
  /* Blocked, not ignored: what comes for a child before it is its program waits for it. */
  sigset_t all, children;
  sigfillset(&all);
  sigprocmask(SIG_SETMASK, &all, NULL);
  sigemptyset(&children);
  sigaddset(&children, SIGCHLD);
  struct pollfd watched[2] = {
      {STDIN_FILENO, POLLIN, 0},
      {signalfd(-1, &children, SFD_CLOEXEC | SFD_NONBLOCK), POLLIN, 0},
  };
  if (watched[1].fd < 0) {
    return 1;
  }
  for (;;) {
    if (poll(watched, 2, -1) < 0 && errno != EINTR) {
      return 1;
    }
    if (watched[1].revents != 0) {
      struct signalfd_siginfo told;
      while (read(watched[1].fd, &told, sizeof told) > 0) {
      }
      tell_exits();
    }
    if (watched[0].revents != 0 && !read_requests()) {
      return 0;
    }
  }
}
#else
int serve(void) {
  return 2;
}
#endif
