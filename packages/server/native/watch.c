/*
 * What the host does for sandboxes whose processes it sees, done from inside for those of a container engine: closes
 * the system calls of the filter to everything here, and looks ten times a second at what the kernel would let grow.
 * The kernel's own ceiling has room for full disks beside full memory, so somebody must keep processes below their
 * part of it; and millions of empty files are kernel memory that outlives the process which made them.
 */
#include "agent.h"
#include <dirent.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/statvfs.h>
#include <sys/wait.h>
#include <unistd.h>

enum { MAX_FILTER = 4096, MAX_LISTED = 4096 };

struct process {
  pid_t pid;
  uint64_t bytes;
};

static uint64_t max_memory, max_files, last_files;
static bool ended; /* Commands were ended at the last look; what grew since may still be theirs. */

int install_filter(const char *path) {
  static struct sock_filter code[MAX_FILTER];
  int fd = open(path, O_RDONLY | O_CLOEXEC);
  ssize_t n = fd < 0 ? -1 : read(fd, code, sizeof code);
  if (fd >= 0) close(fd);
  if (n <= 0 || n % (ssize_t)sizeof *code || n == (ssize_t)sizeof code) return -1;
  struct sock_fprog program = {(unsigned short)(n / (ssize_t)sizeof *code), code};
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)) return -1;
  return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program);
}

void watch_limits(unsigned long memory_bytes, unsigned long files) { max_memory = memory_bytes, max_files = files; }

static ssize_t read_text(const char *path, char *text, size_t size) {
  int fd = open(path, O_RDONLY | O_CLOEXEC);
  ssize_t n = fd < 0 ? -1 : read(fd, text, size - 1);
  if (fd >= 0) close(fd);
  text[n > 0 ? n : 0] = 0;
  return n;
}

/* The number after a name at the start of a line. */
static uint64_t field(const char *text, const char *name) {
  size_t len = strlen(name);
  const char *line = text;
  while (strncmp(line, name, len)) {
    if (!(line = strchr(line, '\n'))) return 0;
    line++;
  }
  return strtoull(line + len, NULL, 10);
}

/* Memory of the processes themselves as the kernel charges it, in either version; 0 where no control group shows. */
static uint64_t anonymous_bytes(void) {
  char text[8192];
  if (read_text("/sys/fs/cgroup/memory.current", text, sizeof text) > 0)
    return strtoull(text, NULL, 10) > max_memory && read_text("/sys/fs/cgroup/memory.stat", text, sizeof text) > 0
               ? field(text, "anon ")
               : 0;
  if (read_text("/sys/fs/cgroup/memory/memory.usage_in_bytes", text, sizeof text) > 0)
    return strtoull(text, NULL, 10) > max_memory && read_text("/sys/fs/cgroup/memory/memory.stat", text, sizeof text) > 0
               ? field(text, "rss ")
               : 0;
  return 0;
}

static int by_size(const void *a, const void *b) {
  uint64_t x = ((const struct process *)a)->bytes, y = ((const struct process *)b)->bytes;
  return x < y ? 1 : x > y ? -1 : 0;
}

/* Every process but this one. */
static int list_processes(struct process *list, bool with_sizes) {
  int count = 0;
  DIR *proc = opendir("/proc");
  for (struct dirent *e; proc && (e = readdir(proc)) && count < MAX_LISTED;) {
    char name[300], text[4096];
    int pid = atoi(e->d_name);
    if (pid <= 1) continue;
    list[count] = (struct process){pid, 0};
    snprintf(name, sizeof name, "/proc/%d/status", pid);
    if (with_sizes && read_text(name, text, sizeof text) > 0)
      list[count].bytes = (field(text, "RssAnon:") + field(text, "RssShmem:")) * 1024;
    count++;
  }
  if (proc) closedir(proc);
  return count;
}

static void end_largest(struct process *list, uint64_t too_much) {
  int count = list_processes(list, true);
  qsort(list, (size_t)count, sizeof *list, by_size);
  for (int i = 0; i < count; i++) {
    kill(list[i].pid, SIGKILL);
    if (list[i].bytes >= too_much) return;
    too_much -= list[i].bytes;
  }
}

static uint64_t count_files(void) {
  static const char *const disks[] = {"/workspace", "/tmp", "/var/tmp", "/dev/shm"};
  uint64_t files = 0;
  struct statvfs s;
  for (int i = 0; i < 4; i++)
    if (!statvfs(disks[i], &s)) files += s.f_files - s.f_ffree;
  return files;
}

/* Only growth past the limit ends the commands: one that deletes files again must be let alone. */
static void hold_files(struct process *list) {
  uint64_t files = count_files();
  bool end = files > max_files && files > last_files && !ended;
  last_files = files;
  ended = end;
  if (end)
    for (int i = list_processes(list, false) - 1; i >= 0; i--) kill(list[i].pid, SIGKILL);
}

bool watch_look(void) {
  static struct process list[MAX_LISTED];
  siginfo_t info;
  /* Without a child nothing can grow, and a sandbox at rest is left to sleep. */
  if (!max_memory || waitid(P_ALL, 0, &info, WEXITED | WNOHANG | WNOWAIT)) return false;
  uint64_t used = anonymous_bytes();
  if (used > max_memory) end_largest(list, used - max_memory);
  hold_files(list);
  return true;
}
