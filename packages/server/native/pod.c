/*
 * What a Pod of Kubernetes leaves to the agent. Nobody hands it its input and output: it calls the door, a program beside
 * it in the Pod, whose socket has no file. And a Pod always has a network: the agent leaves it before anything else runs
 * here, for a user namespace of its own with an empty one. There it also covers what describes the machine. What it could not
 * leave or cover, the host sees at its first look.
 */
#include "agent.h"
#include <fcntl.h>
#include <linux/capability.h>
#include <net/if.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

enum { AGENT_ID = 1000, TRY_MS = 10 };

int call_at_door(const char *name, unsigned long patience_ms) {
  struct sockaddr_un address = {.sun_family = AF_UNIX};
  size_t length = strlen(name);
  if (length + 1 > sizeof address.sun_path) return -1;
  memcpy(address.sun_path + 1, name, length);
  int fd = socket(AF_UNIX, SOCK_STREAM, 0);
  socklen_t size = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + length);
  for (int64_t end = now_ms() + (int64_t)patience_ms; connect(fd, (struct sockaddr *)&address, size);) {
    if (fd < 0 || now_ms() > end) return -1;
    nanosleep(&(struct timespec){0, TRY_MS * 1000000}, NULL);
  }
  if (dup2(fd, 0) < 0 || dup2(fd, 1) < 0) return -1;
  return close(fd);
}

static void put_text(const char *path, const char *text) {
  int fd = open(path, O_WRONLY | O_CLOEXEC);
  if (fd < 0 || write(fd, text, strlen(text)) < 0) perror(path);
  if (fd >= 0) close(fd);
}

static void map(const char *path, unsigned outside) {
  char line[40];
  snprintf(line, sizeof line, "%d %u 1", AGENT_ID, outside);
  put_text(path, line);
}

/* With nothing but the control groups, which the watch reads. */
static void cover_sys(void) {
  int groups = open("/sys/fs/cgroup", O_PATH | O_CLOEXEC);
  char from[40];
  snprintf(from, sizeof from, "/proc/self/fd/%d", groups);
  const unsigned long flags = MS_NOSUID | MS_NODEV | MS_NOEXEC;
  if (mount("sys", "/sys", "tmpfs", flags, "size=4k,mode=755")) return perror("agent: /sys");
  if (groups >= 0 && !mkdir("/sys/fs", 0755) && !mkdir("/sys/fs/cgroup", 0755) &&
      mount(from, "/sys/fs/cgroup", NULL, MS_BIND | MS_REC, NULL))
    perror("agent: control groups");
  if (groups >= 0) close(groups);
  if (mount(NULL, "/sys", NULL, MS_REMOUNT | MS_BIND | MS_RDONLY | flags, NULL)) perror("agent: /sys");
}

void leave_pod(void) {
  unsigned uid = geteuid(), gid = getegid();
  if (unshare(CLONE_NEWUSER | CLONE_NEWNET | CLONE_NEWIPC | CLONE_NEWNS)) return perror("agent: namespaces of its own");
  put_text("/proc/self/setgroups", "deny");
  map("/proc/self/uid_map", uid);
  map("/proc/self/gid_map", gid);
  int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  if (fd < 0 || ioctl(fd, SIOCSIFFLAGS, &(struct ifreq){.ifr_name = "lo", .ifr_flags = IFF_UP})) perror("agent: loopback");
  if (fd >= 0) close(fd);
  cover_sys();
  /* Every capability of the new namespace goes again, also from what may be had by a later program. */
  for (int each = 0; each < 64; each++) prctl(PR_CAPBSET_DROP, each, 0, 0, 0);
  struct __user_cap_header_struct head = {_LINUX_CAPABILITY_VERSION_3, 0};
  struct __user_cap_data_struct none[2] = {{0, 0, 0}, {0, 0, 0}};
  if (syscall(SYS_capset, &head, none)) die("capabilities could not be dropped");
}
