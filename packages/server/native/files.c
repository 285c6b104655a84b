/*
 * The file operations of the agent. Each runs in a child of its own: input on stdin, reply on stdout, the
 * result is 0 or an errno. A path never leaves its base (/workspace, /tmp or /input): openat2 with RESOLVE_BENEATH
 * refuses `..` and links that lead outside with EXDEV, also absolute links; where the kernel lacks openat2, every
 * link is refused. Only regular files are opened for reading, so a pipe cannot hold an operation up.
 *
 * read   -> u64 size | content up to the cap
 * export -> u8 type | u16 mode | u64 size | i64 modified, ms | u16 length | path | content or link target, repeated;
 *           a record of type 'e' closes the archive. import reads the same. With bounds, types 's' and 'S' are a
 *           file and a directory without what is in them: too large, or not to be read. Nothing is changed then.
 */
#include "agent.h"
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/openat2.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { MAX_DEPTH = 200 };

void put(uint64_t v, int bytes) {
  for (; bytes > 0; bytes--, v >>= 8) putchar((int)(v & 255));
}

static bool get(uint64_t *v, int bytes) {
  *v = 0;
  for (int i = 0; i < bytes; i++) {
    int c = getchar();
    if (c == EOF) return false;
    *v |= (uint64_t)c << (8 * i);
  }
  return true;
}

uint64_t modified(const struct stat *s) {
  return (uint64_t)((int64_t)s->st_mtim.tv_sec * 1000 + s->st_mtim.tv_nsec / 1000000);
}

char kind(mode_t mode) { return S_ISDIR(mode) ? 'd' : S_ISLNK(mode) ? 'l' : 'f'; }

/* What openat2 does for us on newer kernels, one component at a time and without following any link. */
static int walk_beneath(int base, const char *path, int flags, mode_t mode) {
  char copy[PATH_MAX], *rest = copy;
  if (strlen(path) >= sizeof copy) return errno = ENAMETOOLONG, -1;
  if (path[0] == '/') return errno = EXDEV, -1;
  strcpy(copy, path);
  int dir = fcntl(base, F_DUPFD_CLOEXEC, 3);
  for (char *part = strsep(&rest, "/"); dir >= 0; part = strsep(&rest, "/")) {
    while (rest && *rest == '/') rest++;
    bool last = !rest || !*rest;
    struct stat s;
    if (!strcmp(part, "..")) errno = EXDEV;
    else errno = 0;
    if (!errno && !fstatat(dir, *part ? part : ".", &s, AT_SYMLINK_NOFOLLOW) && S_ISLNK(s.st_mode)) errno = EXDEV;
    else if (errno == ENOENT) errno = 0; /* The open below says so, or creates it. */
    int next = errno ? -1
                     : openat(dir, *part ? part : ".",
                              last ? flags | O_NOFOLLOW | O_CLOEXEC : O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC, mode);
    int failed = errno;
    close(dir);
    if (next < 0) errno = failed == ELOOP ? EXDEV : failed;
    if (next < 0 || last) return next;
    dir = next;
  }
  return -1;
}

static uint64_t resolve = RESOLVE_BENEATH | RESOLVE_NO_MAGICLINKS;

int beneath(int base, const char *path, int flags, mode_t mode) {
  if (!*path) path = ".";
#ifndef AGORA_WITHOUT_OPENAT2
  struct open_how how = {(uint64_t)(flags | O_CLOEXEC), mode, resolve};
  for (int tries = 0; tries < 100; tries++) { /* EAGAIN: something was renamed while `..` was being resolved. */
    int fd = (int)syscall(SYS_openat2, base, path, &how, sizeof how);
    if (fd >= 0 || (errno != EAGAIN && errno != ENOSYS)) return fd;
    if (errno == ENOSYS) break;
  }
#endif
  return walk_beneath(base, path, flags, mode);
}

int open_base(const char *base) { return open(base, O_PATH | O_DIRECTORY | O_CLOEXEC); }

/* Copies `size` bytes of the file to stdout; a file that shrinks meanwhile is filled up with zeros. */
static int copy_out(int fd, uint64_t size) {
  static char buffer[65536];
  while (size > 0) {
    size_t want = size < sizeof buffer ? (size_t)size : sizeof buffer;
    ssize_t n = read(fd, buffer, want);
    if (n < 0) return errno;
    if (n == 0) memset(buffer, 0, want), n = (ssize_t)want;
    if (fwrite(buffer, 1, (size_t)n, stdout) != (size_t)n) return EIO;
    size -= (uint64_t)n;
  }
  return 0;
}

int op_read(const char *base, const char *path, uint32_t cap) {
  struct stat s;
  int fd = beneath(open_base(base), path, O_RDONLY | O_NONBLOCK | O_NOCTTY, 0);
  if (fd < 0 || fstat(fd, &s)) return errno == ENXIO ? EISDIR : errno;
  if (!S_ISREG(s.st_mode)) return EISDIR;
  uint64_t size = (uint64_t)s.st_size, room = cap < 8 ? 0 : cap - 8;
  put(size, 8);
  return copy_out(fd, size < room ? size : room);
}

/* Opens the directory that holds `path`, creating what is missing, and points `name` at the last component. */
static int open_parent(int base, char *path, const char **name) {
  char *slash = strrchr(path, '/');
  *name = slash ? slash + 1 : path;
  if (path[0] == '/' || !strcmp(*name, "..")) return errno = EXDEV, -1;
  if (!**name || !strcmp(*name, ".")) return errno = EISDIR, -1;
  int dir = fcntl(base, F_DUPFD_CLOEXEC, 3);
  for (char *at = path; slash && dir >= 0; at++) {
    if (*at != '/') continue;
    *at = 0; /* Always from the base, since a link may lead up and stay inside. */
    int next = beneath(base, path, O_PATH | O_DIRECTORY, 0);
    if (next < 0 && errno == ENOENT) {
      char *last = strrchr(path, '/');
      if (!mkdirat(dir, last ? last + 1 : path, 0755) || errno == EEXIST)
        next = beneath(base, path, O_PATH | O_DIRECTORY, 0);
    }
    int failed = errno;
    close(dir);
    errno = failed;
    dir = next;
    *at = '/';
    if (at == slash) break;
  }
  return dir;
}

/* Fills a new file beside the target and renames it over, so that a full disk never leaves half a file. */
static int replace_file(int dir, const char *name, uint64_t size, bool whole, mode_t mode, const struct timespec *times) {
  static char buffer[65536];
  char temporary[64];
  int failed = 0;
  snprintf(temporary, sizeof temporary, ".agora-write-%d", (int)getpid());
  unlinkat(dir, temporary, 0);
  int fd = openat(dir, temporary, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
  if (fd < 0) return errno;
  while (!failed && size > 0) {
    size_t n = fread(buffer, 1, size < sizeof buffer ? (size_t)size : sizeof buffer, stdin);
    if (n == 0 && whole) failed = EBADMSG;
    if (n == 0) break;
    for (size_t done = 0; done < n && !failed;) {
      ssize_t w = write(fd, buffer + done, n - done);
      if (w < 0) failed = errno;
      else done += (size_t)w;
    }
    size -= n;
  }
  if (!failed && (fchmod(fd, mode) || (times && futimens(fd, times)) || renameat(dir, temporary, dir, name)))
    failed = errno;
  if (failed) unlinkat(dir, temporary, 0);
  close(fd);
  return failed;
}

int op_write(const char *base_path, const char *given, const char *mode_text) {
  char path[PATH_MAX];
  const char *name;
  struct stat s;
  int base = open_base(base_path);
  mode_t mode = (mode_t)strtoul(mode_text, NULL, 8) & 0777;
  if (strlen(given) >= sizeof path) return ENAMETOOLONG;
  strcpy(path, given);
  int old = beneath(base, path, O_PATH, 0);
  if (old < 0 && errno != ENOENT) return errno;
  if (old >= 0 && (fstat(old, &s) || !S_ISREG(s.st_mode))) return EISDIR;
  if (!mode) mode = old >= 0 ? s.st_mode & 0777 : 0644;
  int dir = open_parent(base, path, &name);
  return dir < 0 ? errno : replace_file(dir, name, UINT64_MAX, false, mode, NULL);
}

/* What its owner has closed is opened for the export, in the archive too: work that nobody can read is no work. */
static void open_up(int dir, const char *name, struct stat *s) {
  mode_t need = S_ISDIR(s->st_mode) ? 0500 : S_ISREG(s->st_mode) ? 0400 : 0;
  if ((s->st_mode & need) != need && !fchmodat(dir, name, (s->st_mode & 07777) | need, 0)) s->st_mode |= need;
}

/* Bytes of a file, and of all files, that still go along. */
static uint64_t most_of_file = UINT64_MAX, most_of_all = UINT64_MAX;
/* Directories of the platform's own in the workspace: nothing of them is exported or imported. */
static char **kept_out;

static bool is_kept_out(const char *path, size_t len) {
  for (char **each = kept_out; each && *each; each++) {
    size_t own = strlen(*each);
    if (len >= own && !memcmp(path, *each, own) && (len == own || path[own] == '/')) return true;
  }
  return false;
}
static bool bounded;

static int export_tree(int dir, char *path, size_t len, int depth) {
  int again = openat(dir, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC), failed = 0;
  DIR *list = again < 0 ? NULL : fdopendir(again);
  if (!list) return errno;
  for (struct dirent *e; !failed && (e = readdir(list));) {
    struct stat s;
    char target[PATH_MAX];
    size_t name_len = strlen(e->d_name), full = len + (len > 0) + name_len;
    if (!strcmp(e->d_name, ".") || !strcmp(e->d_name, "..") || fstatat(dir, e->d_name, &s, AT_SYMLINK_NOFOLLOW)) continue;
    if (!S_ISREG(s.st_mode) && !S_ISDIR(s.st_mode) && !S_ISLNK(s.st_mode)) continue;
    if (!bounded) open_up(dir, e->d_name, &s);
    if (full >= PATH_MAX || (depth >= MAX_DEPTH && !bounded)) failed = ENAMETOOLONG;
    if (failed) break;
    if (len) path[len] = '/';
    memcpy(path + full - name_len, e->d_name, name_len);
    if (is_kept_out(path, full)) continue;
    ssize_t link = S_ISLNK(s.st_mode) ? readlinkat(dir, e->d_name, target, sizeof target) : 0;
    int fd = S_ISLNK(s.st_mode) ? -1 : openat(dir, e->d_name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    if (link < 0 || (fd < 0 && !S_ISLNK(s.st_mode) && errno == ENOENT)) continue;
    if (fd < 0 && !S_ISLNK(s.st_mode) && !bounded) failed = errno;
    if (failed) break;
    uint64_t size = S_ISREG(s.st_mode) ? (uint64_t)s.st_size : (uint64_t)link;
    bool large = S_ISREG(s.st_mode) && (size > most_of_file || size > most_of_all);
    bool left_out = large || (fd < 0 && !S_ISLNK(s.st_mode)) || (S_ISDIR(s.st_mode) && depth >= MAX_DEPTH);
    if (S_ISREG(s.st_mode) && !left_out && bounded) most_of_all -= size;
    put(!left_out ? (uint64_t)kind(s.st_mode) : S_ISDIR(s.st_mode) ? 'S' : 's', 1), put(s.st_mode & 0777, 2), put(size, 8), put(modified(&s), 8), put(full, 2);
    fwrite(path, 1, full, stdout);
    if (S_ISLNK(s.st_mode)) fwrite(target, 1, (size_t)link, stdout);
    else if (!left_out) failed = S_ISREG(s.st_mode) ? copy_out(fd, size) : export_tree(fd, path, full, depth + 1);
    if (fd >= 0) close(fd);
  }
  closedir(list);
  return failed;
}

int op_export(char **strings) {
  static char path[PATH_MAX];
  struct stat s;
  const char *base = strings[0], *of_file = strings[1], *of_all = of_file ? strings[2] : NULL;
  bounded = of_all && *of_file;
  if (bounded) most_of_file = strtoull(of_file, NULL, 10), most_of_all = strtoull(of_all, NULL, 10);
  if (of_all) kept_out = strings + 3;
  if (!bounded && !stat(base, &s)) open_up(AT_FDCWD, base, &s);
  int dir = open(base, O_RDONLY | O_DIRECTORY | O_CLOEXEC), failed = dir < 0 ? errno : export_tree(dir, path, 0, 0);
  put('e', 1), put(0, 20);
  return failed;
}

static int import_record(int base, char type, char *path, mode_t mode, uint64_t size, uint64_t time) {
  const char *name;
  char target[PATH_MAX];
  struct timespec when[2] = {{(time_t)((int64_t)time / 1000), (long)((int64_t)time % 1000) * 1000000}};
  if (when[0].tv_nsec < 0) when[0].tv_sec--, when[0].tv_nsec += 1000000000;
  when[1] = when[0];
  int dir = open_parent(base, path, &name), failed = dir < 0 ? errno : 0;
  if (failed) return failed;
  if (type == 'd') failed = mkdirat(dir, name, mode | 0700) && errno != EEXIST ? errno : 0;
  else if (type == 'f') failed = replace_file(dir, name, size, true, mode, when);
  else if (size >= sizeof target || fread(target, 1, size, stdin) != size) failed = EBADMSG;
  else {
    target[size] = 0;
    unlinkat(dir, name, 0);
    failed = symlinkat(target, dir, name) ? errno : 0;
  }
  close(dir);
  return failed;
}

static int skip(uint64_t bytes) {
  for (; bytes > 0; bytes--)
    if (getchar() == EOF) return EBADMSG;
  return 0;
}

int op_import(char **strings) {
  static char path[PATH_MAX];
  int base = open_base(strings[0]), failed = 0;
  kept_out = strings + 1;
  /* No link of the archive may lead to what is kept out. */
  if (*kept_out) resolve |= RESOLVE_NO_SYMLINKS;
  while (!failed) {
    uint64_t type, mode, size, time, len;
    if (!get(&type, 1) || !get(&mode, 2) || !get(&size, 8) || !get(&time, 8) || !get(&len, 2)) return EBADMSG;
    if (type == 'e') return 0;
    if (len == 0 || len >= sizeof path || fread(path, 1, len, stdin) != len) return EBADMSG;
    path[len] = 0;
    if (strlen(path) != len || !strchr("fdl", (int)type)) return EBADMSG;
    failed = is_kept_out(path, len) ? skip(type == 'd' ? 0 : size)
                                    : import_record(base, (char)type, path, (mode_t)mode & 0777, size, time);
  }
  return failed;
}
