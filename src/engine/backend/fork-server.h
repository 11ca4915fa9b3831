/* The fork server; only on Linux. */
#ifndef SHELLSCOPE_FORK_SERVER_H
#define SHELLSCOPE_FORK_SERVER_H

/* Forks what is asked for on stdin and answers on stdout, until stdin ends. The exit code. */
int serve(void);

#endif
