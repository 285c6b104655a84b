/*
 * Calls from inside: the command `delivered` (delivered.c) asks the host to run a program elsewhere. The agent owns
 * the socket that calls come in by, so a caller sees that it speaks to pid 1, and no process of the sandbox can take
 * its place. Each request 'd' carries one call: what the caller sends is its output, what the caller gets its input.
 */
#include "agent.h"
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

enum { WAITING_CALLS = 64, CHUNK = 65536 };

struct flow {
  int from, to;
  bool ended;
  size_t len, off;
  uint8_t bytes[CHUNK];
};

static int door = -1;

/* Without a file: the name lives in the sandbox's own network namespace, and nothing inside can remove it. */
socklen_t door_address(struct sockaddr_un *address) {
  static const char name[] = "agora/delivered";
  *address = (struct sockaddr_un){.sun_family = AF_UNIX};
  memcpy(address->sun_path + 1, name, sizeof name - 1);
  return (socklen_t)(offsetof(struct sockaddr_un, sun_path) + sizeof name);
}

int open_door(void) {
  struct sockaddr_un address;
  if (door >= 0) return 0;
  int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0), failed = 0;
  if (fd < 0) return errno;
  if (bind(fd, (struct sockaddr *)&address, door_address(&address)) || listen(fd, WAITING_CALLS)) failed = errno;
  if (failed) close(fd);
  else door = fd;
  return failed;
}

int keep_door(int at) { return dup2(door, at); }

/* False when nothing more can be moved. */
static bool move(struct flow *f) {
  if (f->len == 0) {
    ssize_t n = read(f->from, f->bytes, CHUNK);
    if (n < 0) return errno == EAGAIN || errno == EINTR;
    f->ended = n == 0;
    f->len = (size_t)n, f->off = 0;
  }
  while (f->off < f->len) {
    ssize_t n = write(f->to, f->bytes + f->off, f->len - f->off);
    if (n < 0) return errno == EAGAIN || errno == EINTR;
    f->off += (size_t)n;
  }
  f->len = 0;
  return !f->ended;
}

/* Both directions by turns, so that neither waits for the other. */
int op_call(int listener) {
  static struct flow in, out;
  int call = accept4(listener, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
  if (call < 0) return errno;
  close(listener);
  in.from = 0, in.to = out.from = call, out.to = 1;
  fcntl(0, F_SETFL, O_NONBLOCK), fcntl(1, F_SETFL, O_NONBLOCK);
  for (;;) {
    short wanted = (short)((in.len ? POLLOUT : 0) | (out.len ? 0 : POLLIN));
    struct pollfd p[3] = {{in.len ? -1 : 0, POLLIN, 0}, {out.len ? 1 : -1, POLLOUT, 0}, {call, wanted, 0}};
    if (poll(p, 3, -1) < 0) {
      if (errno == EINTR) continue;
      return errno;
    }
    if (p[2].revents & (POLLHUP | POLLERR)) return 0; /* The caller is gone. */
    if ((p[0].revents || p[2].revents & POLLOUT) && !move(&in)) return 0;
    if ((p[1].revents || p[2].revents & POLLIN) && !move(&out)) return 0;
  }
}
