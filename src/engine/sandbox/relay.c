/*
 * Becomes a program beside which a relay runs: what connects to 127.0.0.1:PORT is joined with a connection of its own
 * to a unix socket.
 *
 * usage: relay SOCKET PORT PROGRAM [ARGUMENT ...]
 *
 * It is started inside a sandbox without network, where the socket is all that leads out; behind it is the host's proxy,
 * which decides. The relay is no part of the fence: a program may as well connect to the socket by itself. It listens
 * before the program begins, and is no child of it: a program that waits for all its children would wait for ever.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

/* Connections at once; one more waits in the listener's queue. Each costs two descriptors. */
#define MAX_PAIRS 256
/* Bytes held in each direction of a connection. */
#define HELD_BYTES 32768

/* One direction of a connection. */
struct way {
  char *bytes;
  size_t from;
  size_t length;
  /* Nothing more comes. */
  int ended;
  /* And the other side was told. */
  int done;
};

struct pair {
  /* The program's side and the host's; -1: a free place. */
  int fds[2];
  /* ways[i] goes from fds[i] to the other. */
  struct way ways[2];
};

static struct pair pairs[MAX_PAIRS];

static int fail(const char *what) {
  fprintf(stderr, "shellscope: the network of this sandbox cannot be made: %s: %s\n", what, strerror(errno));
  return 126;
}

static void close_pair(struct pair *pair) {
  for (int side = 0; side < 2; side += 1) {
    close(pair->fds[side]);
    free(pair->ways[side].bytes);
  }
  memset(pair, 0, sizeof *pair);
  pair->fds[0] = pair->fds[1] = -1;
}

static struct pair *free_place(void) {
  for (int at = 0; at < MAX_PAIRS; at += 1) {
    if (pairs[at].fds[0] < 0) {
      return &pairs[at];
    }
  }
  return NULL;
}

static void never_block(int fd) {
  fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) | O_NONBLOCK);
}

static void accept_one(int listener, const struct sockaddr_un *host) {
  struct pair *pair = free_place();
  int client = accept(listener, NULL, NULL);
  if (client < 0 || pair == NULL) {
    if (client >= 0) {
      close(client);
    }
    return;
  }
  int server = socket(AF_UNIX, SOCK_STREAM, 0);
  if (server < 0 || connect(server, (const struct sockaddr *)host, sizeof *host) < 0) {
    if (server >= 0) {
      close(server);
    }
    close(client);
    return;
  }
  pair->fds[0] = client;
  pair->fds[1] = server;
  never_block(client);
  never_block(server);
  for (int side = 0; side < 2; side += 1) {
    pair->ways[side].bytes = malloc(HELD_BYTES);
    if (pair->ways[side].bytes == NULL) {
      close_pair(pair);
      return;
    }
  }
}

static int is_passing(void) {
  return errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR;
}

/* Answers whether the connection is still whole. */
static int move_on(struct pair *pair, int side) {
  struct way *way = &pair->ways[side];
  if (!way->ended && way->length == 0) {
    ssize_t got = read(pair->fds[side], way->bytes, HELD_BYTES);
    if (got < 0 && !is_passing()) {
      return 0;
    }
    way->ended = got == 0;
    way->from = 0;
    way->length = got > 0 ? (size_t)got : 0;
  }
  while (way->length > 0) {
    ssize_t gone = write(pair->fds[1 - side], way->bytes + way->from, way->length);
    if (gone < 0) {
      return is_passing();
    }
    way->from += (size_t)gone;
    way->length -= (size_t)gone;
  }
  if (way->ended && !way->done) {
    way->done = 1;
    shutdown(pair->fds[1 - side], SHUT_WR);
  }
  return 1;
}

/* What to wait for at one side. A direction with bytes in hand is not read, so that nobody is overrun. */
static short events_at(const struct pair *pair, int side) {
  const struct way *out = &pair->ways[side];
  const struct way *in = &pair->ways[1 - side];
  return (short)((!out->ended && out->length == 0 ? POLLIN : 0) | (in->length > 0 ? POLLOUT : 0));
}

static void relay(int listener, const struct sockaddr_un *host) {
  static struct pollfd polled[1 + 2 * MAX_PAIRS];
  for (;;) {
    polled[0] = (struct pollfd){ .fd = free_place() == NULL ? -1 : listener, .events = POLLIN };
    for (int at = 0; at < MAX_PAIRS; at += 1) {
      for (int side = 0; side < 2; side += 1) {
        const struct pair *pair = &pairs[at];
        short events = pair->fds[0] < 0 ? 0 : events_at(pair, side);
        /* A hang-up is told also to who waits for nothing, for ever. */
        polled[1 + 2 * at + side] = (struct pollfd){ .fd = events == 0 ? -1 : pair->fds[side], .events = events };
      }
    }
    if (poll(polled, 1 + 2 * MAX_PAIRS, -1) < 0) {
      continue;
    }
    for (int at = 0; at < MAX_PAIRS; at += 1) {
      struct pair *pair = &pairs[at];
      if (pair->fds[0] < 0 || (polled[1 + 2 * at].revents == 0 && polled[2 + 2 * at].revents == 0)) {
        continue;
      }
      if (!move_on(pair, 0) || !move_on(pair, 1) || (pair->ways[0].done && pair->ways[1].done)) {
        close_pair(pair);
      }
    }
    if (polled[0].revents != 0) {
      accept_one(listener, host);
    }
  }
}

/* The relay holds nothing of the program's: neither its terminal nor its streams nor its directory. */
static void let_go_of_everything(void) {
  setsid();
  int nothing = open("/dev/null", O_RDWR);
  for (int fd = 0; fd < 3; fd += 1) {
    dup2(nothing, fd);
  }
  if (nothing > 2) {
    close(nothing);
  }
  if (chdir("/") < 0) {
    return;
  }
}

int main(int argc, char **argv) {
  struct sockaddr_un host = { .sun_family = AF_UNIX };
  int port = argc > 3 ? atoi(argv[2]) : 0;
  if (port < 1 || port > 65535 || strlen(argv[1]) >= sizeof host.sun_path) {
    fprintf(stderr, "usage: relay SOCKET PORT PROGRAM [ARGUMENT ...]\n");
    return 2;
  }
  strcpy(host.sun_path, argv[1]);
  struct sockaddr_in address = { .sin_family = AF_INET, .sin_port = htons((unsigned short)port) };
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  int listener = socket(AF_INET, SOCK_STREAM, 0);
  if (listener < 0 || bind(listener, (struct sockaddr *)&address, sizeof address) < 0 || listen(listener, 128) < 0) {
    return fail("127.0.0.1");
  }
  never_block(listener);
  pid_t between = fork();
  if (between < 0) {
    return fail("fork");
  }
  if (between == 0) {
    /* Whose parent is gone belongs to the sandbox's first process. */
    if (fork() == 0) {
      let_go_of_everything();
      signal(SIGPIPE, SIG_IGN);
      for (int at = 0; at < MAX_PAIRS; at += 1) {
        pairs[at].fds[0] = pairs[at].fds[1] = -1;
      }
      relay(listener, &host);
    }
    _exit(0);
  }
  while (waitpid(between, NULL, 0) < 0 && errno == EINTR) {
  }
  close(listener);
  execvp(argv[3], argv + 3);
  int why = errno;
  fprintf(stderr, "shellscope: cannot execute %s: %s\n", argv[3], strerror(why));
  return why == ENOENT ? 127 : 126;
}
