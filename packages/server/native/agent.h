/* What the multiplexer (agent.c), the killing of process trees (tree.c) and the file operations (files.c) share. */
#ifndef AGORA_AGENT_H
#define AGORA_AGENT_H
#include <stdint.h>
#include <sys/types.h>

void kill_tree(pid_t root);

/* Each runs in a forked child with its input on stdin and its reply on stdout, and returns 0 or an errno. */
int op_list(const char *base, const char *path);
int op_read(const char *base, const char *path, uint32_t cap);
int op_write(const char *base, const char *path, const char *mode);
int op_export(const char *base);
int op_import(const char *base);

#endif
