/*
 * Prints the seccomp filter of the sandbox as the array of struct sock_filter that `bwrap --seccomp FD` wants.
 * It is compiled on the machine it serves, so the numbers are that machine's own; no library is needed.
 *
 * The tables below deny; the rest is allowed up to NEWEST, the last system call reviewed here. Calls that came
 * later answer ENOSYS, as on an older kernel, until somebody has looked at them.
 *
 * With the argument `degraded` it also denies memory that belongs to no process: without a memory control group
 * nobody could count it.
 */
#include <errno.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>

#if defined(__x86_64__)
#define ARCH AUDIT_ARCH_X86_64
#elif defined(__aarch64__)
#define ARCH AUDIT_ARCH_AARCH64
#else
#error "the filter is reviewed for x86_64 and aarch64 only"
#endif

/* Headers may be older than the kernel. From 424 on the numbers are the same on every architecture. */
enum {
  N_open_tree = 428, N_move_mount, N_fsopen, N_fsconfig, N_fsmount, N_fspick, N_pidfd_open, N_clone3,
  N_io_uring_setup = 425, N_io_uring_enter, N_io_uring_register,
  N_pidfd_getfd = 438, N_process_madvise = 440, N_mount_setattr = 442, N_quotactl_fd, N_memfd_secret = 447,
  NEWEST = 456
};

/* EPERM: what a program may try and must see refused. */
static const int refused[] = {
    /* other processes' memory and control */
    SYS_ptrace, SYS_process_vm_readv, SYS_process_vm_writev, SYS_kcmp, N_process_madvise, N_pidfd_getfd,
    SYS_move_pages, SYS_migrate_pages,
    /* namespaces and mounts */
    SYS_unshare, SYS_setns, SYS_mount, SYS_umount2, SYS_pivot_root, SYS_chroot, N_open_tree, N_move_mount, N_fsopen,
    N_fsconfig, N_fsmount, N_fspick, N_mount_setattr, SYS_swapon, SYS_swapoff, SYS_quotactl, N_quotactl_fd, SYS_acct,
    /* files by handle lead past every path check */
    SYS_open_by_handle_at, SYS_name_to_handle_at, SYS_fanotify_init, SYS_lookup_dcookie,
    /* the kernel itself */
    SYS_bpf, SYS_perf_event_open, SYS_userfaultfd, SYS_init_module, SYS_finit_module, SYS_delete_module,
    SYS_kexec_load, SYS_kexec_file_load, SYS_reboot, SYS_syslog, SYS_sethostname, SYS_setdomainname, SYS_vhangup,
    SYS_settimeofday, SYS_clock_settime, SYS_adjtimex, SYS_clock_adjtime, SYS_nfsservctl,
    /* keyrings are not namespaced */
    SYS_add_key, SYS_request_key, SYS_keyctl,
#ifdef __x86_64__
    SYS_iopl, SYS_ioperm, SYS_modify_ldt, SYS_uselib, SYS_ustat, SYS_sysfs, SYS__sysctl,
#endif
};

/* ENOSYS: libraries fall back to an older way, which the filter can look into. */
static const int absent[] = {N_clone3, N_io_uring_setup, N_io_uring_enter, N_io_uring_register, N_memfd_secret,
    SYS_io_setup}; /* Its queues come out of one number for the whole host (fs.aio-max-nr). */

/* EPERM in degraded mode. */
static const int uncounted[] = {SYS_memfd_create, SYS_shmget};

/* Limits and priorities of a process that is named by its number, which as 1 is the agent; 0 is the caller itself. */
static const int of_process[] = {SYS_prlimit64, SYS_sched_setparam, SYS_sched_setscheduler, SYS_sched_setaffinity,
    SYS_sched_setattr};
/* The same for one (who is 1), its group (who is 1) or all of a user. */
static const struct { int nr; unsigned user; } of_some[] = {{SYS_setpriority, 2}, {SYS_ioprio_set, 3}};

/* Huge pages come out of a pool of the whole host, past every limit on memory: answered as where the pool is empty. */
static const struct { int nr, argument; unsigned flag; } huge[] = {
    {SYS_mmap, 3, 0x40000}, {SYS_shmget, 2, 04000}, {SYS_memfd_create, 1, 4}};

static const int families[] = {AF_UNIX, AF_INET, AF_INET6, AF_NETLINK};

enum { NEW_NAMESPACE = CLONE_NEWNS | CLONE_NEWCGROUP | CLONE_NEWUTS | CLONE_NEWIPC | CLONE_NEWUSER | CLONE_NEWPID | CLONE_NEWNET };
enum { TERMINAL_INJECT = 0x5412, TERMINAL_LINUX = 0x541C, X32_BIT = 0x40000000 };

static struct sock_filter code[512];
static int used;

static void emit(unsigned short op, unsigned char yes, unsigned char no, unsigned k) {
  code[used++] = (struct sock_filter){op, yes, no, k};
}
static void load(size_t offset) { emit(BPF_LD | BPF_W | BPF_ABS, 0, 0, (unsigned)offset); }
static void answer(unsigned k) { emit(BPF_RET | BPF_K, 0, 0, k); }
static void fail(int error) { answer(SECCOMP_RET_ERRNO | (unsigned)error); }
static void fail_if_equal(int value, int error) {
  emit(BPF_JMP | BPF_JEQ | BPF_K, 0, 1, (unsigned)value);
  fail(error);
}
/* The low half of an argument; every argument looked at here is an int or flags below 2^32. */
static void load_argument(int index) { load(offsetof(struct seccomp_data, args) + 8 * (size_t)index); }

/* Starts a block for one call; `end_call` closes it, so that the block is skipped for all others. */
static int begin_call(int nr) {
  load(offsetof(struct seccomp_data, nr));
  emit(BPF_JMP | BPF_JEQ | BPF_K, 0, 0, (unsigned)nr);
  return used - 1;
}
static void end_call(int at) {
  answer(SECCOMP_RET_ALLOW);
  code[at].jf = (unsigned char)(used - at - 1);
}

static void guard_agent(void) {
  for (size_t i = 0; i < sizeof of_process / sizeof *of_process; i++) {
    int at = begin_call(of_process[i]);
    load_argument(0);
    fail_if_equal(1, EPERM);
    end_call(at);
  }
  for (size_t i = 0; i < sizeof of_some / sizeof *of_some; i++) {
    int at = begin_call(of_some[i].nr);
    load_argument(0);
    fail_if_equal((int)of_some[i].user, EPERM);
    load_argument(1);
    fail_if_equal(1, EPERM);
    end_call(at);
  }
}

static void deny_huge_pages(void) {
  for (size_t i = 0; i < sizeof huge / sizeof *huge; i++) {
    int at = begin_call(huge[i].nr);
    load_argument(huge[i].argument);
    emit(BPF_JMP | BPF_JSET | BPF_K, 0, 1, huge[i].flag);
    fail(ENOMEM);
    end_call(at);
  }
}

int main(int argc, char **argv) {
  int degraded = argc > 1 && !strcmp(argv[1], "degraded");
  load(offsetof(struct seccomp_data, arch));
  emit(BPF_JMP | BPF_JEQ | BPF_K, 1, 0, ARCH);
  answer(SECCOMP_RET_KILL_PROCESS);
  load(offsetof(struct seccomp_data, nr));
#ifdef __x86_64__
  emit(BPF_JMP | BPF_JGE | BPF_K, 0, 1, X32_BIT);
  answer(SECCOMP_RET_KILL_PROCESS);
#endif
  emit(BPF_JMP | BPF_JGT | BPF_K, 0, 1, NEWEST);
  fail(ENOSYS);
  for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) fail_if_equal(refused[i], EPERM);
  for (size_t i = 0; i < sizeof absent / sizeof *absent; i++) fail_if_equal(absent[i], ENOSYS);
  for (size_t i = 0; degraded && i < sizeof uncounted / sizeof *uncounted; i++) fail_if_equal(uncounted[i], EPERM);

  int at = begin_call(SYS_clone); /* Both architectures pass the flags first. */
  load_argument(0);
  emit(BPF_JMP | BPF_JSET | BPF_K, 0, 1, NEW_NAMESPACE);
  fail(EPERM);
  end_call(at);

  /* Vsock, Bluetooth and the like ignore the network namespace; the crypto and packet families only add surface. */
  at = begin_call(SYS_socket);
  load_argument(0);
  int count = (int)(sizeof families / sizeof *families);
  for (int i = 0; i < count; i++) emit(BPF_JMP | BPF_JEQ | BPF_K, (unsigned char)(count - i), 0, (unsigned)families[i]);
  fail(EAFNOSUPPORT);
  emit(BPF_JMP | BPF_JEQ | BPF_K, 0, 3, AF_NETLINK);
  load_argument(2); /* Of netlink only the route family, which lists the interfaces. */
  emit(BPF_JMP | BPF_JEQ | BPF_K, 1, 0, 0);
  fail(EPROTONOSUPPORT);
  end_call(at);

  at = begin_call(SYS_socketpair); /* Vsock makes pairs too. */
  load_argument(0);
  emit(BPF_JMP | BPF_JEQ | BPF_K, 1, 0, AF_UNIX);
  fail(EAFNOSUPPORT);
  end_call(at);

  at = begin_call(SYS_ioctl); /* Typing into a terminal that somebody else reads. */
  load_argument(1);
  fail_if_equal(TERMINAL_INJECT, EPERM);
  fail_if_equal(TERMINAL_LINUX, EPERM);
  end_call(at);

  guard_agent();
  deny_huge_pages();
  answer(SECCOMP_RET_ALLOW);
  return fwrite(code, sizeof *code, (size_t)used, stdout) == (size_t)used && !fflush(stdout) ? 0 : 1;
}
