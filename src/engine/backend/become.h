/* How a forked process becomes its program. */
#ifndef SHELLSCOPE_BECOME_H
#define SHELLSCOPE_BECOME_H

/* Closes every descriptor above this one. */
void close_above(int last);

/*
 * Becomes the program in `file` with these arguments, the first of which is its name, and the environment in `environ`;
 * no descriptor but the three streams stays open. Comes back only when it cannot, with the exit code that sh has for it:
 * 126 for what cannot be executed, 127 for what is not there. The reason is on stderr.
 */
int become(const char *file, char **arguments);

#endif
