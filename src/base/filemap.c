/* filemap.c - see filemap.h. */
#include "base/filemap.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/guard.h"

static const uint8_t nothing[1]; /* the bytes of an empty file */

int filemap_open_fd(struct filemap *map, int fd, const char *path, struct why *why)
{
    struct stat info;
    void *bytes;

    *map = (struct filemap){.bytes = nothing};
    if (fstat(fd, &info) != 0)
        return fail(why, ERR_IO, "%s: %s", path, err_words(errno));
    if (!S_ISREG(info.st_mode))
        return fail(why, ERR_FORMAT, "%s: not a regular file", path);
    if (info.st_size == 0)
        return 0;
    bytes = mmap(NULL, (size_t)info.st_size, PROT_READ, MAP_SHARED, fd, 0);
    if (bytes == MAP_FAILED)
        return fail(why, ERR_IO, "%s: cannot map %lld bytes: %s", path, (long long)info.st_size,
                    err_words(errno));
    if (!guard_add(bytes, (size_t)info.st_size)) {
        (void)munmap(bytes, (size_t)info.st_size);
        return fail(why, ERR_NOMEM, "%s: no memory to map it", path);
    }
    *map = (struct filemap){.bytes = bytes, .size = (size_t)info.st_size};
    return 0;
}

int filemap_open(struct filemap *map, int directory, const char *path, struct why *why)
{
    /* Without O_NONBLOCK a FIFO of that name would block until it has a writer. */
    const int fd = openat(directory, path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    int err;

    *map = (struct filemap){.bytes = nothing};
    if (fd < 0 && errno == ELOOP)
        return fail(why, ERR_IO, "%s: a symbolic link is not followed", path);
    if (fd < 0)
        return fail(why, errno == ENOENT ? ERR_ABSENT : ERR_IO, "%s: %s", path, err_words(errno));
    err = filemap_open_fd(map, fd, path, why);
    (void)close(fd);
    return err;
}

void filemap_read_nothing_ahead(const struct filemap *map)
{
    if (map->size > 0)
        (void)madvise((void *)(uintptr_t)map->bytes, map->size, MADV_RANDOM);
}

bool filemap_was_cut(const struct filemap *map)
{
    return map->size > 0 && guard_was_cut(map->bytes);
}

void filemap_close(struct filemap *map)
{
    if (map->size > 0) {
        guard_remove(map->bytes);
        (void)munmap((void *)(uintptr_t)map->bytes, map->size);
    }
    *map = (struct filemap){.bytes = nothing};
}
