/* What the multiplexer (agent.c), its children (child.c), the killing of process trees (tree.c) and the file
 * operations (files.c), and the watching of limits (watch.c) share. */
#ifndef AGORA_AGENT_H
#define AGORA_AGENT_H
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

void kill_tree(pid_t root);

/* Limits for commands that no control group enforces; 0: none. */
void limit_commands(unsigned long processes, unsigned long data_bytes, unsigned long cpu_seconds);

/* Closes the system calls of a seccomp filter for good; 0 when that worked. */
int install_filter(const char *path);
/* From now on `watch_look` keeps processes and files below these. */
void watch_limits(unsigned long memory_bytes, unsigned long files);
/* Ends what has grown too large; true while there is something to look at again in a tenth of a second. */
bool watch_look(void);

/* Runs in the forked child; `in`, `out` and `err` become its standard streams. */
_Noreturn void run_child(uint8_t op, uint32_t cap, char **strings, int in, int out, int err);

/* Each runs in a forked child with its input on stdin and its reply on stdout, and returns 0 or an errno. */
int op_list(const char *base, const char *path);
int op_read(const char *base, const char *path, uint32_t cap);
int op_write(const char *base, const char *path, const char *mode);
int op_export(const char *base);
int op_import(const char *base);

#endif
