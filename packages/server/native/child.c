/* What a request's child does: becomes the command, or does one file operation and ends. */
#include "agent.h"
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#ifndef SYS_close_range
#define SYS_close_range 436
#endif

static rlim_t max_processes, max_data, max_cpu; /* 0: not limited here. */

void limit_commands(unsigned long processes, unsigned long data_bytes, unsigned long cpu_seconds) {
  max_processes = processes, max_data = data_bytes, max_cpu = cpu_seconds;
}

static void limit(int what, rlim_t value) {
  if (value) setrlimit(what, &(struct rlimit){value, value});
}

/* With `to_the_last` the runner stays until all that the command started has ended, so that all of it can be found. */
static _Noreturn void run_command(char **strings, bool to_the_last) {
  prctl(PR_SET_CHILD_SUBREAPER, 1);
  setsid();
  pid_t pid = fork();
  if (pid < 0) {
    dprintf(2, "cannot start the command: %s\n", strerror(errno));
    _exit(126);
  }
  if (pid > 0) {
    close(0), close(1), close(2);
    for (int status, result = 126;;) {
      pid_t gone = waitpid(-1, &status, 0);
      if (gone == pid) result = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
      if (gone == pid ? !to_the_last : gone < 0 && errno != EINTR) _exit(result);
    }
  }
  prctl(PR_SET_DUMPABLE, 1); /* Otherwise its own /proc files belong to root. */
  int fd = open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC);
  /* So that the agent goes last. A kubelet may have given it up to 999, below which nobody without privilege may go. */
  if (fd >= 0 && write(fd, "1000", 4) != 4) perror("agent: oom_score_adj");
  setpriority(PRIO_PROCESS, 0, 10);
  limit(RLIMIT_NPROC, max_processes);
  limit(RLIMIT_DATA, max_data);
  limit(RLIMIT_CPU, max_cpu);
  setrlimit(RLIMIT_CORE, &(struct rlimit){0, 0});
  setrlimit(RLIMIT_NOFILE, &(struct rlimit){1024, 4096});
  if (chdir(strings[0])) {
    dprintf(2, "cannot enter %s: %s\n", strings[0], strerror(errno));
    _exit(126);
  }
  execve("/bin/sh", (char *[]){"sh", "-c", strings[1], NULL}, strings + 2);
  dprintf(2, "cannot run /bin/sh: %s\n", strerror(errno));
  _exit(127);
}

_Noreturn void run_child(uint8_t op, uint32_t cap, char **s, int in, int out, int err) {
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, NULL);
  signal(SIGCHLD, SIG_DFL);
  signal(SIGPIPE, SIG_DFL);
  if (dup2(in, 0) < 0 || dup2(out, 1) < 0 || dup2(err, 2) < 0) _exit(EMFILE);
  int first = 3;
  if (op == 'd' && keep_door(first++) < 0) _exit(EMFILE);
  /* The pipes of the other requests must not live on in this one. */
  if (syscall(SYS_close_range, first, ~0U, 0))
    for (int fd = first; fd < 1024; fd++) close(fd);
  if (op == 'x' || op == 'b') run_command(s, op == 'b');
  int status = op == 'l'   ? op_list(s[0], s[1], s[2], s[3])
               : op == 'r' ? op_read(s[0], s[1], cap)
               : op == 'w' ? op_write(s[0], s[1], s[2])
               : op == 'e' ? op_export(s)
               : op == 'd' ? op_call(3)
                           : op_import(s);
  if (fflush(stdout) && !status) status = errno;
  _exit(status);
}
