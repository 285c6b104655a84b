/* What the multiplexer (agent.c), its frames (wire.c), its children (child.c), the killing of process trees (tree.c),
 * the file operations (files.c, list.c), the watching of limits (watch.c), the measuring of use (usage.c) and calls from inside
 * (calls.c, delivered.c) and the entry into a Pod (pod.c) share. */
#ifndef AGORA_AGENT_H
#define AGORA_AGENT_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/types.h>

enum { START = 1, DATA, KILL, GRANT, HELLO = 16, STDOUT, STDERR, WANT, END };

_Noreturn void die(const char *why);
uint32_t get32(const uint8_t *p);
void put32(uint8_t *p, uint32_t v);
int64_t now_ms(void);
void send_frame(uint8_t type, uint32_t id, const void *payload, size_t len);
void send_end(uint32_t id, uint32_t status, uint8_t flags);

void kill_tree(pid_t root);
/* Stops all processes but the agent and those spared; false where some have to be stopped again. */
bool stop_everything(const pid_t *spared, int count);

/* u64 CPU time that all processes of the sandbox have used so far, ms | u64 bytes used on the disk that holds `base`. */
void measure_usage(const char *base, uint8_t figures[16]);

/* Limits for commands that no control group enforces; 0: none. */
void limit_commands(unsigned long processes, unsigned long data_bytes, unsigned long cpu_seconds);

/* Closes the system calls of a seccomp filter for good; 0 when that worked. */
int install_filter(const char *path);
/* From now on `watch_look` keeps processes and files below these. */
void watch_limits(unsigned long memory_bytes, unsigned long files);
/* Ends what has grown too large; true while there is something to look at again in a tenth of a second. */
bool watch_look(void);

/* Makes the connection to the door its input and output; 0 when that worked in time. */
int call_at_door(const char *name, unsigned long patience_ms);
/* For a network, mounts, message queues and a user of its own, without any capability. */
void leave_pod(void);

/* Runs in the forked child; `in`, `out` and `err` become its standard streams. */
_Noreturn void run_child(uint8_t op, uint32_t cap, char **strings, int in, int out, int err);

/* files.c, for list.c: a number in little endian to stdout, and what a file is and when it was changed. */
void put(uint64_t v, int bytes);
uint64_t modified(const struct stat *s);
char kind(mode_t mode);
/* Opens what lies below a directory and nothing outside of it. */
int open_base(const char *base);
int beneath(int base, const char *path, int flags, mode_t mode);

/* Each runs in a forked child with its input on stdin and its reply on stdout, and returns 0 or an errno. */
int op_list(const char *base, const char *path, const char *after_hex, const char *count);
int op_read(const char *base, const char *path, uint32_t cap);
int op_write(const char *base, const char *path, const char *mode);
/* base, bytes of content of a file and of all files that go along at most (empty: no bound), paths to leave out */
int op_export(char **strings);
/* base, paths to leave out */
int op_import(char **strings);
/* Waits for a call from inside and carries it. */
int op_call(int listener);

/* Lets calls come in from now on; 0 or an errno. */
int open_door(void);
/* The socket that calls come in by, as this descriptor; negative where that failed. */
int keep_door(int at);
struct sockaddr_un;
socklen_t door_address(struct sockaddr_un *address);
/* The command `delivered`: its exit code. */
bool is_delivered(const char *program);
int call_delivered(int argc, char **argv);

#endif
