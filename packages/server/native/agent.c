/*
 * The exec agent: pid 1 of a sandbox. It speaks frames on stdin and stdout and does nothing by itself.
 * It runs with the rights of the sandboxed code and holds no secret; what it guards is the host's view:
 * every request gets exactly one END, and no frame, file name or output can forge another.
 *
 * Frame (little endian):   u32 length of what follows | u8 type | u32 request id | payload
 * Host to agent
 *   1 START  u8 op | u32 timeoutMs (0: none) | u32 cap | u8 flags | NUL-terminated strings
 *            Flags: 1 has input, 2 sends output only as far as GRANT allows, so that the command waits for its reader.
 *            'x' exec   cwd, command, environment...   (run by /bin/sh -c; cap counts for each stream, all ones: none)
 *            'b' exec that lasts until all it started has ended, however detached
 *            'l' list   base, path, after (hex), count  'r' read    base, path
 *            'w' write  base, path, mode (octal; 0: keep the old one)
 *            'e' export base, most bytes of a file, of all files (empty: no bound), paths to leave out...
 *            'i' import base, paths to leave out...
 *            'd' call   base: waits for a call of `delivered` and carries it both ways (calls.c)
 *            'u' usage  base      'p' stops every process but the agent, refusing 'x' and 'b'     'c' lets them go on
 *   2 DATA   bytes for the request's stdin, at most 64 KiB; empty means end of input.
 *            The next one may be sent only after WANT.
 *   3 KILL   ends the request's whole process tree
 *   4 GRANT  u32 bytes of output, of both streams together, that may be sent besides; a frame counts FRAME_COST more
 * Agent to host
 *   16 HELLO u8 version (once, id 0)     17 STDOUT bytes     18 STDERR bytes
 *   19 WANT  the last DATA was consumed
 *   20 END   u32 status | u8 flags. Status is the exit code (128 + signal) of exec and an errno of the others.
 *            Flags: 1 timed out, 2 stdout truncated, 4 stderr truncated, 8 could not be started (status: errno)
 * A malformed frame or the end of stdin ends the agent, and with it, as pid 1, the sandbox.
 *
 * Every request is a child of its own, so a file on a slow path never stops the others. An exec sits below a
 * runner which is a child subreaper: daemons stay its descendants, so a time-out finds them all.
 */
#include "agent.h"
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { HAS_INPUT = 1, WINDOWED = 2, /* Of END: */ TIMED_OUT = 1, OUT_CUT = 2, ERR_CUT = 4, REFUSED = 8 };
enum { SLOTS = 64, CHUNK = 65536, MAX_BODY = 512 * 1024, MAX_STRINGS = 1024, LOOK_MS = 100 };
/* After a small read a command's pipe is let alone for a while, or one that writes single bytes made a frame of each.
   The first is sent at once, and the last when the command ends, so nobody waits who does not write on and on. */
enum { FRAME_COST = 256, SMALL = 512, REST_MS = 5 };

struct slot {
  enum { FREE, LIVE, LINGER } state; /* LINGER: answered, but background processes still hold its output. */
  uint32_t id, cap, sent[2];
  pid_t pid;
  int in, out[2];
  int64_t deadline;
  size_t len, off; /* Of `data`, the input chunk on its way to the child. */
  uint8_t *data, op, flags;
  bool windowed;
  uint64_t window; /* Output that may be sent still, where it is windowed. */
  int64_t rest[2]; /* Until when a pipe is let alone. */
};

static struct slot slots[SLOTS];
static uint8_t inbox[MAX_BODY + 4], chunk[CHUNK];
static size_t held;
static bool paused, restless; /* Restless: some that should stand still may not yet. */

static void shut(int *fd) {
  if (*fd >= 0) close(*fd);
  *fd = -1;
}

static void end_input(struct slot *s) {
  shut(&s->in);
  free(s->data);
  s->data = NULL;
  s->len = s->off = 0;
}

static struct slot *take_slot(uint32_t id) {
  struct slot *found = NULL;
  for (struct slot *s = slots; s < slots + SLOTS; s++) {
    if (s->state == LIVE && s->id == id) die("request id in use");
    if (s->state == FREE || (s->state == LINGER && !found)) found = s;
  }
  if (found && found->state == LINGER) shut(&found->out[0]), shut(&found->out[1]);
  return found;
}

static bool is_command(uint8_t op) { return op == 'x' || op == 'b'; }

/* Files can be had all the while. */
static void hold_still(void) {
  pid_t spared[SLOTS];
  int count = 0;
  for (struct slot *s = slots; s < slots + SLOTS; s++)
    if (s->state == LIVE && !is_command(s->op)) spared[count++] = s->pid;
  restless = !stop_everything(spared, count);
}

/* What is done by the agent itself, so that no process of the sandbox can get in its way. */
static void answer(uint32_t id, uint8_t op, const char *base) {
  if (op == 'u') {
    uint8_t figures[16];
    measure_usage(base, figures);
    send_frame(STDOUT, id, figures, sizeof figures);
  } else {
    paused = op == 'p';
    restless = false;
    if (paused) hold_still();
    else if (getpid() == 1) kill(-1, SIGCONT);
  }
  send_end(id, 0, 0);
}

static void start(uint32_t id, uint8_t *p, size_t len) {
  static char *strings[MAX_STRINGS + 1];
  size_t count = 0;
  if (len < 11 || p[len - 1] != 0) die("malformed START");
  uint8_t op = p[0], has_input = p[9] & HAS_INPUT;
  const char *kinds = "xlrweibupcd", *kind = op ? strchr(kinds, op) : NULL;
  for (size_t at = 10; at < len; at += strlen((char *)p + at) + 1) {
    if (count == MAX_STRINGS) die("too many strings");
    strings[count++] = (char *)p + at;
  }
  strings[count] = NULL;
  if (!kind || count < (size_t) "24231121111"[kind - kinds] - '0') die("malformed START");
  if (strchr("upc", op)) return answer(id, op, strings[0]);
  struct slot *s = take_slot(id);
  if (!s) return send_end(id, EAGAIN, REFUSED);
  if (paused && is_command(op)) return send_end(id, EBUSY, REFUSED);
  uint32_t timeout = get32(p + 1), cap = get32(p + 5);
  int in[2] = {-1, -1}, out[2] = {-1, -1}, err[2] = {-1, -1}, failed = op == 'd' ? open_door() : 0;
  if (has_input ? pipe2(in, O_CLOEXEC) : (in[0] = open("/dev/null", O_RDONLY | O_CLOEXEC)) < 0) failed = errno;
  if (!failed && (pipe2(out, O_CLOEXEC) || pipe2(err, O_CLOEXEC))) failed = errno;
  pid_t pid = failed ? -1 : fork();
  if (pid == 0) run_child(op, cap, strings, in[0], out[1], err[1]);
  if (pid < 0 && !failed) failed = errno;
  shut(&in[0]), shut(&out[1]), shut(&err[1]);
  *s = (struct slot){.state = FREE, .in = -1, .out = {-1, -1}};
  if (failed) {
    shut(&in[1]), shut(&out[0]), shut(&err[0]);
    return send_end(id, (uint32_t)failed, REFUSED);
  }
  /* Our ends never block; the child's do. */
  if (has_input) fcntl(in[1], F_SETFL, O_NONBLOCK);
  fcntl(out[0], F_SETFL, O_NONBLOCK), fcntl(err[0], F_SETFL, O_NONBLOCK);
  *s = (struct slot){.state = LIVE, .id = id, .cap = cap, .pid = pid, .in = in[1], .out = {out[0], err[0]}, .op = op};
  s->windowed = p[9] & WINDOWED;
  s->deadline = timeout ? now_ms() + timeout : INT64_MAX;
}

static void data(uint32_t id, const uint8_t *p, size_t len) {
  for (struct slot *s = slots; s < slots + SLOTS; s++) {
    if (s->state != LIVE || s->id != id) continue;
    if (s->data || len > CHUNK) die("DATA before WANT");
    if (!len) return end_input(s);
    if (s->in < 0) return send_frame(WANT, id, NULL, 0); /* The child no longer reads. */
    if (!(s->data = malloc(len))) die("out of memory");
    memcpy(s->data, p, len);
    s->len = len;
    return;
  } /* Otherwise the request has just ended; the host learns that from END. */
}

static void feed(struct slot *s) {
  ssize_t n = write(s->in, s->data + s->off, s->len - s->off);
  if (n < 0 && (errno == EAGAIN || errno == EINTR)) return;
  if (n < 0) end_input(s);
  else if ((s->off += (size_t)n) < s->len) return;
  free(s->data);
  s->data = NULL;
  s->len = s->off = 0;
  send_frame(WANT, s->id, NULL, 0);
}

/* Forwards what fits under the cap and throws the rest away, so that the writer never blocks on us. */
static ssize_t drain(struct slot *s, int which) {
  bool bound = s->windowed && s->state == LIVE;
  if (bound && s->window <= FRAME_COST) return 0;
  ssize_t n = read(s->out[which], chunk, bound && s->window < CHUNK + FRAME_COST ? s->window - FRAME_COST : CHUNK);
  if (n == 0 || (n < 0 && errno != EAGAIN && errno != EINTR)) shut(&s->out[which]);
  if (n <= 0 || s->state != LIVE) return n;
  size_t room = s->cap == UINT32_MAX ? CHUNK : s->cap - s->sent[which], keep = (size_t)n < room ? (size_t)n : room;
  if (keep) send_frame(which ? STDERR : STDOUT, s->id, chunk, keep);
  s->sent[which] += (uint32_t)keep;
  if (bound && keep) s->window -= keep + FRAME_COST;
  if (n < SMALL && is_command(s->op)) s->rest[which] = now_ms() + REST_MS;
  if (keep < (size_t)n) {
    s->flags |= which ? ERR_CUT : OUT_CUT;
    if (!is_command(s->op)) kill(s->pid, SIGKILL); /* Half a listing or archive is of no use. */
  }
  return n;
}

static void reap(void) {
  int status;
  for (pid_t pid; (pid = waitpid(-1, &status, WNOHANG)) > 0;) {
    for (struct slot *s = slots; s < slots + SLOTS; s++) {
      if (s->state != LIVE || s->pid != pid) continue;
      s->windowed = false; /* What lies in the pipes is bounded, and nobody writes any more. */
      for (int which = 0; which < 2; which++) /* A pipe holds at most 1 MiB; past that it is somebody else's. */
        for (ssize_t n, total = 0; s->out[which] >= 0 && total < 1 << 20 && (n = drain(s, which)) > 0;) total += n;
      end_input(s);
      send_end(s->id, (uint32_t)(WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status)), s->flags);
      s->state = s->out[0] < 0 && s->out[1] < 0 ? FREE : LINGER;
    }
  }
}

static void receive(void) {
  ssize_t n = read(0, inbox + held, sizeof inbox - held);
  if (n < 0 && (errno == EINTR || errno == EAGAIN)) return;
  if (n <= 0) _exit(0);
  held += (size_t)n;
  size_t at = 0;
  while (held - at >= 4) {
    uint32_t len = get32(inbox + at);
    if (len < 5 || len > MAX_BODY) die("malformed frame");
    if (held - at - 4 < len) break;
    uint8_t *frame = inbox + at + 4;
    uint32_t id = get32(frame + 1);
    if (frame[0] == START) start(id, frame + 5, len - 5);
    else if (frame[0] == DATA) data(id, frame + 5, len - 5);
    else if ((frame[0] != KILL && frame[0] != GRANT) || (frame[0] == GRANT && len != 9)) die("unknown frame");
    else
      for (struct slot *s = slots; s < slots + SLOTS; s++) {
        if (s->state != LIVE || s->id != id) continue;
        if (frame[0] == KILL) kill_tree(s->pid);
        else s->window += get32(frame + 5);
      }
    at += 4 + len;
  }
  memmove(inbox, inbox + at, held -= at);
}

static void turn(const sigset_t *unblocked) {
  static struct pollfd p[1 + 3 * SLOTS];
  static int64_t next_look;
  int64_t next = INT64_MAX, now = now_ms();
  if (now >= next_look) next_look = watch_look() ? now + LOOK_MS : 0;
  if (next_look) next = next_look;
  if (restless) hold_still();
  if (restless) next = now + LOOK_MS / 10;
  p[0] = (struct pollfd){0, POLLIN, 0};
  for (int i = 0; i < SLOTS; i++) {
    struct slot *s = slots + i;
    bool used = s->state != FREE;
    p[1 + 3 * i] = (struct pollfd){used && s->data ? s->in : -1, POLLOUT, 0};
    bool waits = s->windowed && s->window <= FRAME_COST && s->state == LIVE;
    for (int k = 0; k < 2; k++) {
      bool rests = s->state == LIVE && s->out[k] >= 0 && s->rest[k] > now;
      p[2 + 3 * i + k] = (struct pollfd){used && !waits && !rests ? s->out[k] : -1, POLLIN, 0};
      if (rests && !waits && s->rest[k] < next) next = s->rest[k];
    }
    if (s->state == LIVE && s->deadline < next) next = s->deadline;
  }
  int64_t wait = next - now > 0 ? next - now : 0;
  struct timespec t = {wait / 1000, wait % 1000 * 1000000};
  if (ppoll(p, 1 + 3 * SLOTS, next == INT64_MAX ? NULL : &t, unblocked) < 0) {
    if (errno != EINTR) die("poll");
    for (int i = 0; i <= 3 * SLOTS; i++) p[i].revents = 0;
  }
  for (int i = 0; i < SLOTS; i++) {
    struct slot *s = slots + i;
    if (p[1 + 3 * i].revents) feed(s);
    for (int k = 0; k < 2; k++)
      if (p[2 + 3 * i + k].revents) drain(s, k);
    if (s->state != LIVE || s->deadline > now_ms()) continue;
    s->flags |= TIMED_OUT;
    s->deadline = INT64_MAX;
    kill_tree(s->pid);
  }
  reap();
  if (p[0].revents) receive();
}

static void wake(int signal_number) { (void)signal_number; }

/* argv: a mark by which the host finds its agents, then the limits for commands: processes, data bytes, CPU seconds.
   Where nobody outside does it: the filter to install, and the memory and number of files to keep them below.
   In a Pod: the door to call, and how long to wait for it. */
int main(int argc, char **argv) {
  if (is_delivered(argv[0])) return call_delivered(argc, argv);
  if (argc != 5 && argc != 8 && argc != 10)
    die("usage: agent MARK PROCESSES DATA CPU [FILTER MEMORY FILES [DOOR PATIENCE_MS]]");
  if (argc == 10 && call_at_door(argv[8], strtoul(argv[9], NULL, 10))) die("the door did not open");
  if (argc == 10) leave_pod();
  if (argc >= 8 && install_filter(argv[5])) die("the filter could not be installed");
  if (argc >= 8) watch_limits(strtoul(argv[6], NULL, 10), strtoul(argv[7], NULL, 10));
  limit_commands(strtoul(argv[2], NULL, 10), strtoul(argv[3], NULL, 10), strtoul(argv[4], NULL, 10));
  prctl(PR_SET_DUMPABLE, 0); /* Its memory and descriptors are closed to the sandboxed code of the same uid. */
  prctl(PR_SET_CHILD_SUBREAPER, 1);
  umask(022);
  signal(SIGPIPE, SIG_IGN);
  sigaction(SIGCHLD, &(struct sigaction){.sa_handler = wake}, NULL);
  sigset_t block, unblocked;
  sigemptyset(&block);
  sigaddset(&block, SIGCHLD);
  sigprocmask(SIG_BLOCK, &block, &unblocked);
  send_frame(HELLO, 0, "\1", 1);
  for (;;) turn(&unblocked);
}
