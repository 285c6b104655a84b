/*
 * What hostile code would try, for the attack tests; run only inside a sandbox. Each attack prints what it achieved
 * and what answered, so that a test can tell a contained attack from one that never ran.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

static void say(const char *what, long result) { printf("%s %s\n", what, result < 0 ? strerror(errno) : "DONE"); }

/* Every descendant forks too; the first one reports how many there were when the kernel said no. */
static _Noreturn void forkbomb(void) {
  int *count = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  pid_t first = getpid();
  for (int refused = 0; refused < 200;) {
    pid_t pid = fork();
    if (pid == 0) __sync_fetch_and_add(count, 1);
    if (pid < 0 && !refused++ && getpid() == first) say("fork", -1);
    if (pid < 0) usleep(1000);
  }
  if (getpid() == first) printf("forked %d\n", *count);
  fflush(stdout);
  for (;;) pause();
}

static void fill_memory(int megabytes, int report) {
  for (int i = 1; i <= megabytes; i++) {
    char *p = mmap(NULL, 1 << 20, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (p == MAP_FAILED) {
      say("mmap", -1);
      exit(3);
    }
    memset(p, i, 1 << 20);
    if (report && i % 8 == 0) printf("filled %d\n", i);
  }
}

static int many(int children, int megabytes) {
  int killed = 0, refused = 0, done = 0;
  for (int i = 0; i < children; i++)
    if (fork() == 0) {
      fill_memory(megabytes, 0);
      sleep(1);
      _exit(0);
    }
  for (int status; wait(&status) > 0;) {
    killed += WIFSIGNALED(status);
    refused += WIFEXITED(status) && WEXITSTATUS(status) == 3;
    done += WIFEXITED(status) && WEXITSTATUS(status) == 0;
  }
  printf("started %d killed %d refused %d done %d\n", children, killed, refused, done);
  return 0;
}

static int zombies(void) {
  int count = 0;
  for (pid_t pid; (pid = fork()) >= 0; count++)
    if (pid == 0) _exit(0);
  say("fork", -1);
  printf("zombies %d\n", count);
  return 0;
}

static int inodes(void) {
  char name[32];
  for (int i = 0;; i++) {
    snprintf(name, sizeof name, "empty-%d", i);
    int fd = open(name, O_CREAT | O_WRONLY, 0600);
    if (fd < 0) {
      say("create", -1);
      printf("created %d\n", i);
      return 0;
    }
    close(fd);
    if (i % 10000 == 9999) printf("created %d\n", i + 1);
  }
}

/* Burns for `ms` on `threads` processes and tells how much CPU time that gave. */
static int spin(int processes, int ms) {
  struct timeval start, now;
  struct rusage used;
  gettimeofday(&start, NULL);
  for (int i = 0; i < processes; i++)
    if (fork() == 0)
      for (;;) {
        gettimeofday(&now, NULL);
        if ((now.tv_sec - start.tv_sec) * 1000 + (now.tv_usec - start.tv_usec) / 1000 >= ms) _exit(0);
      }
  while (wait(NULL) > 0);
  getrusage(RUSAGE_CHILDREN, &used);
  printf("cpu %ld\n", (used.ru_utime.tv_sec + used.ru_stime.tv_sec) * 1000 + (used.ru_utime.tv_usec + used.ru_stime.tv_usec) / 1000);
  return 0;
}

static int reach(const char *address, int port) {
  struct sockaddr_in to = {.sin_family = AF_INET, .sin_port = htons((uint16_t)port)};
  inet_pton(AF_INET, address, &to.sin_addr);
  int fd = socket(AF_INET, SOCK_STREAM, 0);
  say("socket", fd);
  say("connect", connect(fd, (struct sockaddr *)&to, sizeof to));
  return 0;
}

static int sockets(void) {
  const int families[] = {40, 38, 17, 31, 16}; /* vsock, crypto, packet, Bluetooth, netlink (audit) */
  const char *names[] = {"vsock", "alg", "packet", "bluetooth", "netlink-audit"};
  for (int i = 0; i < 5; i++) say(names[i], socket(families[i], families[i] == 38 ? SOCK_SEQPACKET : SOCK_RAW, i == 4 ? 9 : 0));
  say("unix", socket(AF_UNIX, SOCK_STREAM, 0));
  say("inet", socket(AF_INET, SOCK_STREAM, 0));
  const int pairs[] = {40, 30, 21, 16, AF_INET}; /* vsock, TIPC, RDS, netlink */
  const char *pair_names[] = {"vsock-pair", "tipc-pair", "rds-pair", "netlink-pair", "inet-pair"};
  int ends[2];
  for (int i = 0; i < 5; i++) say(pair_names[i], socketpair(pairs[i], SOCK_SEQPACKET, 0, ends));
  say("unix-pair", socketpair(AF_UNIX, SOCK_STREAM, 0, ends));
  return 0;
}

static int namespaces(void) {
  struct { unsigned long long flags, rest[10]; } args = {.flags = CLONE_NEWUSER};
  int own = open("/proc/self/ns/user", O_RDONLY);
  say("unshare", unshare(CLONE_NEWUSER));
  say("unshare-mount", unshare(CLONE_NEWUSER | CLONE_NEWNS));
  say("clone", syscall(SYS_clone, CLONE_NEWUSER | SIGCHLD, 0, 0, 0, 0));
  say("clone3", syscall(435, &args, sizeof args));
  say("setns", syscall(SYS_setns, own, 0));
  return 0;
}

static int tamper(void) {
  char buffer[16];
  struct iovec here = {buffer, 16}, there = {(void *)0x400000, 16};
  say("ptrace", ptrace(PTRACE_ATTACH, 1, 0, 0));
  say("process_vm_readv", syscall(SYS_process_vm_readv, 1, &here, 1, &there, 1, 0));
  say("mem", open("/proc/1/mem", O_RDWR));
  say("environ", open("/proc/1/environ", O_RDONLY));
  say("fd", open("/proc/1/fd/1", O_WRONLY));
  say("root", open("/proc/1/root/etc/shadow", O_RDONLY));
  return 0;
}

/* What the whole host has one number or pool of. */
static int pools(void) {
  unsigned long context = 0;
  say("aio", syscall(SYS_io_setup, 65536, &context));
  void *page = mmap(NULL, 2 << 20, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_HUGETLB, -1, 0);
  say("huge-mmap", page == MAP_FAILED ? -1 : 0);
  say("huge-shm", syscall(SYS_shmget, 0, 2 << 20, 01000 | 04000 | 0600));
  say("huge-memfd", syscall(SYS_memfd_create, "huge", 4));
  page = mmap(NULL, 2 << 20, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  say("mmap", page == MAP_FAILED ? -1 : 0);
  return 0;
}

/* Limits and priorities of the first process, by each way there is, and then of this one. */
static int govern(void) {
  struct rlimit low = {4, 4};
  struct sched_param idle = {0};
  struct { unsigned size, policy; unsigned long long flags; int nice; unsigned priority; unsigned long long times[3]; } attr = {.size = 48, .nice = 19};
  unsigned long cpus[16] = {1};
  say("prlimit", syscall(SYS_prlimit64, 1, RLIMIT_NOFILE, &low, NULL));
  say("setpriority", setpriority(PRIO_PROCESS, 1, 19));
  say("setpriority-group", setpriority(PRIO_PGRP, 1, 19));
  say("setpriority-user", setpriority(PRIO_USER, 0, 19));
  say("sched_setscheduler", syscall(SYS_sched_setscheduler, 1, SCHED_IDLE, &idle));
  say("sched_setparam", syscall(SYS_sched_setparam, 1, &idle));
  say("sched_setattr", syscall(SYS_sched_setattr, 1, &attr, 0));
  say("sched_setaffinity", syscall(SYS_sched_setaffinity, 1, sizeof cpus, cpus));
  say("ioprio_set", syscall(SYS_ioprio_set, 1, 1, 3 << 13));
  say("ioprio_set-group", syscall(SYS_ioprio_set, 2, 1, 3 << 13));
  say("ioprio_set-user", syscall(SYS_ioprio_set, 3, 1000, 3 << 13));
  say("own-prlimit", syscall(SYS_prlimit64, 0, RLIMIT_NOFILE, &low, NULL));
  say("own-setpriority", setpriority(PRIO_PROCESS, 0, 19));
  say("own-sched", syscall(SYS_sched_setscheduler, 0, SCHED_BATCH, &idle));
  return 0;
}

static int killinit(void) {
  const int signals[] = {SIGKILL, SIGSTOP, SIGTERM, SIGSEGV, SIGCHLD};
  for (int i = 0; i < 5; i++) say("kill", kill(1, signals[i]));
  signal(SIGKILL, SIG_IGN);
  return 0;
}

static int kernel(void) {
  say("mount", syscall(SYS_mount, "none", "/tmp", "tmpfs", 0, 0));
  say("umount", syscall(SYS_umount2, "/usr", 2));
  say("fsopen", syscall(430, "tmpfs", 0));
  say("open_tree", syscall(428, -100, "/", 1));
  say("pivot_root", syscall(SYS_pivot_root, "/tmp", "/tmp"));
  say("bpf", syscall(SYS_bpf, 0, NULL, 0));
  say("keyctl", syscall(SYS_keyctl, 0, -1, 0));
  say("add_key", syscall(SYS_add_key, "user", "a", "b", 1, -2));
  say("perf_event_open", syscall(SYS_perf_event_open, NULL, 0, -1, -1, 0));
  say("io_uring_setup", syscall(425, 1, NULL));
  say("userfaultfd", syscall(SYS_userfaultfd, 1));
  say("open_by_handle_at", syscall(SYS_open_by_handle_at, 3, NULL, 0));
  say("init_module", syscall(SYS_init_module, NULL, 0, ""));
  say("kexec_load", syscall(SYS_kexec_load, 0, 0, NULL, 0));
  say("too-new", syscall(470));
  return 0;
}

/* A 32-bit system call, which would pass a filter written for 64-bit numbers. */
static int foreign(void) {
  printf("calling\n");
#ifdef __x86_64__
  long result = 0x14000000;
  __asm__ volatile("int $0x80" : "=a"(result) : "a"(20) : "memory");
  printf("answered %ld\n", result);
#endif
  return 0;
}

/* Memory that belongs to no process's own size. */
static int memfd(int megabytes) {
  static char block[1 << 20];
  int fd = (int)syscall(SYS_memfd_create, "hidden", 0), done = 0;
  memset(block, 1, sizeof block);
  while (done < megabytes && write(fd, block, sizeof block) == sizeof block) printf("filled %d\n", ++done);
  say("write", -1);
  return 0;
}

int main(int argc, char **argv) {
  setvbuf(stdout, NULL, _IONBF, 0);
  const char *what = argc > 1 ? argv[1] : "";
  int a = argc > 2 ? atoi(argv[2]) : 0, b = argc > 3 ? atoi(argv[3]) : 0;
  if (!strcmp(what, "forkbomb")) forkbomb();
  if (!strcmp(what, "hog")) return fill_memory(a, 1), 0;
  if (!strcmp(what, "many")) return many(a, b);
  if (!strcmp(what, "zombies")) return zombies();
  if (!strcmp(what, "inodes")) return inodes();
  if (!strcmp(what, "spin")) return spin(a, b);
  if (!strcmp(what, "reach")) return reach(argv[2], b);
  if (!strcmp(what, "sockets")) return sockets();
  if (!strcmp(what, "namespaces")) return namespaces();
  if (!strcmp(what, "tamper")) return tamper();
  if (!strcmp(what, "pools")) return pools();
  if (!strcmp(what, "govern")) return govern();
  if (!strcmp(what, "killinit")) return killinit();
  if (!strcmp(what, "kernel")) return kernel();
  if (!strcmp(what, "foreign")) return foreign();
  if (!strcmp(what, "memfd")) return memfd(a);
  return 64;
}
