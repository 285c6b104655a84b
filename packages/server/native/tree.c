/*
 * Ends a command and everything it started, however its descendants detached themselves: the command's runner
 * is a child subreaper, so every one of them stays below it.
 */
#include "agent.h"
#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { MAX_TREE = 4096 };

/* One scan of /proc: stops every process below those in `tree` that is not listed yet; returns how many. */
static int stop_descendants(pid_t *tree, int *count) {
  int fresh = 0;
  DIR *proc = opendir("/proc");
  for (struct dirent *e; proc && (e = readdir(proc)) && *count < MAX_TREE;) {
    char name[300], text[512], state = 0, *close_paren;
    int pid = atoi(e->d_name), parent = 0;
    if (pid <= 1) continue;
    snprintf(name, sizeof name, "/proc/%d/stat", pid);
    int fd = open(name, O_RDONLY | O_CLOEXEC);
    ssize_t n = fd < 0 ? -1 : read(fd, text, sizeof text - 1);
    if (fd >= 0) close(fd);
    if (n <= 0) continue;
    text[n] = 0; /* The name of a process is its own choice, so the fields start after the last bracket. */
    if (!(close_paren = strrchr(text, ')')) || sscanf(close_paren + 1, " %c %d", &state, &parent) != 2) continue;
    bool below = false, known = state == 'Z' || state == 'X';
    for (int i = 0; i < *count; i++) {
      below |= tree[i] == parent;
      known |= tree[i] == pid;
    }
    if (!below || known) continue;
    kill(pid, SIGSTOP);
    tree[(*count)++] = pid;
    fresh++;
  }
  if (proc) closedir(proc);
  return fresh;
}

/* Stops the whole tree before it kills anything, or a fork bomb would refill itself. The root goes last: it
   inherits what its descendants leave behind. */
void kill_tree(pid_t root) {
  static pid_t tree[MAX_TREE];
  kill(root, SIGSTOP);
  for (int round = 0; round < 50; round++) {
    int count = 1;
    tree[0] = root;
    while (stop_descendants(tree, &count) > 0);
    if (count == 1) break;
    for (int i = 1; i < count; i++) kill(tree[i], SIGKILL);
    nanosleep(&(struct timespec){0, 1000000}, NULL);
  }
  kill(root, SIGKILL);
}

/* Whether all but the agent and those spared have stopped or ended. */
static bool all_still(const pid_t *spared, int count) {
  bool still = true;
  DIR *proc = opendir("/proc");
  for (struct dirent *e; proc && still && (e = readdir(proc));) {
    char name[300], text[512], *close_paren;
    int pid = atoi(e->d_name);
    bool skip = pid <= 1;
    for (int i = 0; i < count; i++) skip |= spared[i] == pid;
    if (skip) continue;
    snprintf(name, sizeof name, "/proc/%d/stat", pid);
    int fd = open(name, O_RDONLY | O_CLOEXEC);
    ssize_t n = fd < 0 ? -1 : read(fd, text, sizeof text - 1);
    if (fd >= 0) close(fd);
    if (n <= 0) continue;
    text[n] = 0;
    close_paren = strrchr(text, ')');
    still = close_paren && close_paren[1] && strchr("TtZXx", close_paren[2]);
  }
  if (proc) closedir(proc);
  return still;
}

/* As pid 1 we mean everybody but ourselves, and no fork slips through between. But one that is not down yet can wake
   another, so it takes until nobody stirs; false where somebody still does. */
bool stop_everything(const pid_t *spared, int count) {
  if (getpid() != 1) return true;
  for (int round = 0; round < 50; round++) {
    kill(-1, SIGSTOP);
    for (int i = 0; i < count; i++) kill(spared[i], SIGCONT);
    if (all_still(spared, count)) return true;
    nanosleep(&(struct timespec){0, 200000}, NULL);
  }
  return false;
}
