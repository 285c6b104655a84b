/*
 * The command `delivered PROGRAM [ARGUMENT ...]`: runs a program of the delivery away from the check that calls it.
 * The program gets this command's arguments, its standard streams, its place below the workspace and a few variables;
 * nothing else of the check can be reached from where it runs.
 *
 * Sent to the host: u32 length of what follows | directory, number of arguments, arguments, variables, each ended by
 * NUL; then standard input as u32 length | bytes, of which an empty one is its end. Received: u8 kind | u32 length |
 * bytes; kinds: 1 standard output, 2 standard error, 3 one byte, the exit code.
 */
#include "agent.h"
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

enum { CALL_FAILED = 125, CHUNK = 65536, HEADER_BYTES = 100 * 1024 };
enum { EXITED = 3 };

/* What programs read as a matter of course and what tells nothing of a check. */
static const char *const passed_on[] = {"CI", "LANG", "LC_ALL", "NODE_ENV", "NO_COLOR", "TZ"};

static int fail(const char *why) {
  dprintf(2, "delivered: %s\n", why);
  return CALL_FAILED;
}

static bool write_all(int fd, const void *bytes, size_t len) {
  for (size_t done = 0; done < len;) {
    ssize_t n = write(fd, (const char *)bytes + done, len - done);
    if (n < 0 && errno == EAGAIN) poll(&(struct pollfd){fd, POLLOUT, 0}, 1, -1);
    else if (n < 0 && errno != EINTR) return false;
    else if (n > 0) done += (size_t)n;
  }
  return true;
}

/* Connects to the agent and to nobody who took its name. */
static int connect_to_agent(void) {
  struct sockaddr_un address;
  struct ucred peer;
  socklen_t len = door_address(&address), size = sizeof peer;
  int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (fd < 0 || connect(fd, (struct sockaddr *)&address, len)) return -1;
  return getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &size) || peer.pid != 1 ? -1 : fd;
}

static uint8_t header[HEADER_BYTES + 4];
static size_t used = 4;

static bool add(const char *text) {
  size_t len = strlen(text) + 1;
  if (len > sizeof header - used) return false;
  memcpy(header + used, text, len);
  used += len;
  return true;
}

static bool write_header(const char *directory, int count, char **arguments) {
  char number[16];
  snprintf(number, sizeof number, "%d", count);
  bool fits = add(directory) && add(number);
  for (int i = 0; i < count; i++) fits = fits && add(arguments[i]);
  for (size_t i = 0; i < sizeof passed_on / sizeof *passed_on; i++) {
    const char *value = getenv(passed_on[i]);
    char variable[1024];
    if (value && snprintf(variable, sizeof variable, "%s=%s", passed_on[i], value) < (int)sizeof variable)
      fits = fits && add(variable);
  }
  put32(header, (uint32_t)used - 4);
  return fits;
}

/* What is read of the host's frames; -1 until the program has ended. */
static int take(const uint8_t *bytes, size_t len) {
  static uint8_t head[5];
  static size_t got, left;
  for (size_t at = 0; at < len;) {
    if (got < sizeof head) {
      head[got++] = bytes[at++];
      if (got == sizeof head) left = get32(head + 1);
    } else {
      size_t part = len - at < left ? len - at : left;
      if (head[0] == EXITED) return bytes[at];
      if (!write_all(head[0] == 1 ? 1 : 2, bytes + at, part)) return 128 + 13;
      at += part, left -= part;
    }
    if (got == sizeof head && left == 0) got = 0;
  }
  return -1;
}

static int carry(int fd) {
  static uint8_t up[CHUNK + 4], down[CHUNK];
  size_t len = 0, off = 0;
  bool ended = false;
  fcntl(fd, F_SETFL, O_NONBLOCK);
  for (;;) {
    struct pollfd p[2] = {{ended || len ? -1 : 0, POLLIN, 0}, {fd, (short)(POLLIN | (len ? POLLOUT : 0)), 0}};
    if (poll(p, 2, -1) < 0 && errno != EINTR) return fail("poll");
    if (p[0].revents) {
      ssize_t n = read(0, up + 4, CHUNK);
      if (n < 0 && (errno == EINTR || errno == EAGAIN)) continue;
      ended = n <= 0;
      put32(up, ended ? 0 : (uint32_t)n);
      len = ended ? 4 : (size_t)n + 4, off = 0;
    }
    if (len) {
      ssize_t n = send(fd, up + off, len - off, MSG_NOSIGNAL);
      if (n > 0 && (off += (size_t)n) == len) len = 0;
    }
    if (!(p[1].revents & (POLLIN | POLLHUP | POLLERR))) continue;
    ssize_t n = read(fd, down, CHUNK);
    if (n < 0 && (errno == EINTR || errno == EAGAIN)) continue;
    if (n <= 0) return fail("the call broke off");
    int code = take(down, (size_t)n);
    if (code >= 0) return code;
  }
}

bool is_delivered(const char *program) {
  const char *name = strrchr(program, '/');
  return !strcmp(name ? name + 1 : program, "delivered");
}

int call_delivered(int argc, char **argv) {
  static char directory[4096];
  /* The streams that were closed must not become the connection. */
  for (int fd = open("/dev/null", O_RDWR); fd >= 0; fd = open("/dev/null", O_RDWR))
    if (fd > 2) {
      close(fd);
      break;
    }
  if (argc < 2) return fail("usage: delivered PROGRAM [ARGUMENT ...]");
  if (!getcwd(directory, sizeof directory)) return fail("the directory it was called from is gone");
  int fd = connect_to_agent();
  if (fd < 0) return fail("this works while a check or a test of the quality gate runs, and nowhere else");
  if (!write_header(directory, argc - 1, argv + 1)) return fail("the arguments are too long; use standard input");
  return write_all(fd, header, used) ? carry(fd) : fail("the call broke off");
}
