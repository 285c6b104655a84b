/*
 * Lists a page of a directory, as a child of its own; see files.c.
 *
 * list   -> u8 flags: 1 there are more behind these, 2 the directory holds more than are looked at; then, in the order of
 *           their bytes, u8 type (f d l) | u64 size | i64 modified, ms | u16 length | name    (little endian, repeated)
 */
#include "agent.h"
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { MAX_ENTRIES = 10000 };

static int by_bytes(const void *a, const void *b) { return strcmp(*(char *const *)a, *(char *const *)b); }

/* Names in hex, for what a program of the sandbox calls a file need not be text. */
static void from_hex(const char *hex, char *name, size_t room) {
  size_t len = 0;
  for (unsigned byte; len + 1 < room && sscanf(hex + 2 * len, "%2x", &byte) == 1; len++) name[len] = (char)byte;
  name[len] = 0;
}

/* Lists `count` entries behind `after`. Only so many names are looked at, however many there are. */
int op_list(const char *base, const char *path, const char *after_hex, const char *count_text) {
  static char *names[MAX_ENTRIES], after[NAME_MAX + 1];
  size_t found = 0, left = strtoul(count_text, NULL, 10), at = 0;
  bool too_many = false;
  int fd = beneath(open_base(base), path, O_RDONLY | O_DIRECTORY, 0);
  DIR *dir = fd < 0 ? NULL : fdopendir(fd);
  if (!dir) return errno;
  for (struct dirent *e; !too_many && (e = readdir(dir));) {
    if (!strcmp(e->d_name, ".") || !strcmp(e->d_name, "..")) continue;
    if ((too_many = found == MAX_ENTRIES)) break;
    if (!(names[found++] = strdup(e->d_name))) return ENOMEM;
  }
  qsort(names, found, sizeof *names, by_bytes);
  from_hex(after_hex, after, sizeof after);
  while (*after && at < found && strcmp(names[at], after) <= 0) at++;
  put((found - at > left ? 1 : 0) | (too_many ? 2 : 0), 1);
  for (; at < found && left > 0; at++, left--) {
    struct stat s;
    if (fstatat(fd, names[at], &s, AT_SYMLINK_NOFOLLOW)) continue; /* Gone since. */
    size_t len = strlen(names[at]);
    put((uint64_t)kind(s.st_mode), 1), put((uint64_t)s.st_size, 8), put(modified(&s), 8), put(len, 2);
    fwrite(names[at], 1, len, stdout);
  }
  return 0;
}
