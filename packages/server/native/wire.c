/* The frames that go to the host, which agent.c describes, and what they are made of. */
#include "agent.h"
#include <errno.h>
#include <stdio.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

enum { HEAD = 9 };

_Noreturn void die(const char *why) {
  fprintf(stderr, "agent: %s\n", why);
  _exit(2);
}

uint32_t get32(const uint8_t *p) { return p[0] | p[1] << 8 | p[2] << 16 | (uint32_t)p[3] << 24; }

void put32(uint8_t *p, uint32_t v) {
  for (int i = 0; i < 4; i++) p[i] = (uint8_t)(v >> (8 * i));
}

int64_t now_ms(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

void send_frame(uint8_t type, uint32_t id, const void *payload, size_t len) {
  uint8_t head[HEAD];
  put32(head, (uint32_t)len + 5);
  head[4] = type;
  put32(head + 5, id);
  struct iovec v[2] = {{head, HEAD}, {(void *)(uintptr_t)payload, len}};
  for (size_t done = 0; done < HEAD + len;) {
    ssize_t n = writev(1, v, 2);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) die("the host is gone");
    done += (size_t)n;
    for (int i = 0; i < 2 && n > 0; i++) {
      size_t step = (size_t)n < v[i].iov_len ? (size_t)n : v[i].iov_len;
      v[i].iov_base = (uint8_t *)v[i].iov_base + step;
      v[i].iov_len -= step;
      n -= (ssize_t)step;
    }
  }
}

void send_end(uint32_t id, uint32_t status, uint8_t flags) {
  uint8_t body[5];
  put32(body, status);
  body[4] = flags;
  send_frame(END, id, body, sizeof body);
}
