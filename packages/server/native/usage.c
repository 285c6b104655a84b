/*
 * What a sandbox has used. The control group knows best, where it shows; otherwise the processes are added up, which
 * misses those whose parent never asked for them.
 */
#include "agent.h"
#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/statvfs.h>
#include <unistd.h>

static ssize_t read_text(const char *path, char *text, size_t size) {
  int fd = open(path, O_RDONLY | O_CLOEXEC);
  ssize_t n = fd < 0 ? -1 : read(fd, text, size - 1);
  if (fd >= 0) close(fd);
  text[n > 0 ? n : 0] = 0;
  return n;
}

/* In either version; 0 where none shows. */
static uint64_t charged_ms(void) {
  static const char *const version1[] = {"/sys/fs/cgroup/cpuacct/cpuacct.usage",
                                         "/sys/fs/cgroup/cpu,cpuacct/cpuacct.usage"};
  char text[4096];
  if (read_text("/sys/fs/cgroup/cpu.stat", text, sizeof text) > 0 && !strncmp(text, "usage_usec ", 11))
    return strtoull(text + 11, NULL, 10) / 1000;
  for (int i = 0; i < 2; i++)
    if (read_text(version1[i], text, sizeof text) > 0) return strtoull(text, NULL, 10) / 1000000;
  return 0;
}

/* Each process counts with the children it has waited for, and the agent waits for all that are left. */
static uint64_t summed_ms(void) {
  uint64_t ticks = 0;
  DIR *proc = opendir("/proc");
  for (struct dirent *e; proc && (e = readdir(proc));) {
    char name[300], text[512], *close_paren;
    unsigned long long user, system;
    long long user_below, system_below;
    if (atoi(e->d_name) <= 0) continue;
    snprintf(name, sizeof name, "/proc/%d/stat", atoi(e->d_name));
    if (read_text(name, text, sizeof text) <= 0 || !(close_paren = strrchr(text, ')'))) continue;
    if (sscanf(close_paren + 1, " %*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %llu %llu %lld %lld", &user, &system,
               &user_below, &system_below) == 4)
      ticks += user + system + (uint64_t)user_below + (uint64_t)system_below;
  }
  if (proc) closedir(proc);
  return ticks * 1000 / (uint64_t)sysconf(_SC_CLK_TCK);
}

void measure_usage(const char *base, uint8_t figures[16]) {
  struct statvfs disk;
  uint64_t cpu_ms = charged_ms(), bytes = 0;
  if (!cpu_ms) cpu_ms = summed_ms();
  if (!statvfs(base, &disk)) bytes = (uint64_t)(disk.f_blocks - disk.f_bfree) * disk.f_frsize;
  for (int i = 0; i < 2; i++) {
    put32(figures + 4 * i, (uint32_t)(cpu_ms >> (32 * i)));
    put32(figures + 8 + 4 * i, (uint32_t)(bytes >> (32 * i)));
  }
}
