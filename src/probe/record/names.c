/* names.c - see names.h.
 *
 * A table of bounded size, taken when the first object is made. Names are looked up by the system calls
 * alone. A name that is too long, or one too many, is not followed: such memory counts while it is mapped.
 */
#include "probe/record/names.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/shm.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/invariant.h"
#include "probe/core/brief_lock.h"
#include "probe/core/own.h"
#include "probe/core/state.h"

#define OBJECTS_MAX 4096
#define TRIES 200000
#define FOLDER "/dev/shm/" /* where the C library makes the files of shm_open */
#define NAME_ROOM 72
#define SEGMENT UINT64_MAX /* device of what shmget makes; its inode is the segment's number */

struct object {
    uint64_t device, inode; /* inode and device 0: a free slot */
    uint32_t mapped;        /* mappings of it in this process */
    char name[NAME_ROOM];   /* without the leading slash */
};

static struct object *objects; /* private pages, wiped by a fork */
static uint32_t used;          /* slots that were ever taken */
static uint8_t held;           /* atomic */

static const char *bare(const char *name)
{
    while (*name == '/')
        name++;
    return name;
}

static struct object *at(uint32_t object)
{
    return objects && object > 0 && object <= used ? &objects[object - 1] : NULL;
}

static bool is_free(const struct object *object)
{
    return object->device == 0 && object->inode == 0;
}

static uint32_t find(uint64_t device, uint64_t inode)
{
    for (uint32_t i = 0; i < used; i++)
        if (objects[i].inode == inode && objects[i].device == device)
            return i + 1;
    return 0;
}

static bool file_remains(const struct object *object)
{
    char path[sizeof(FOLDER) + NAME_ROOM] = FOLDER;
    struct stat info;

    memcpy(path + sizeof(FOLDER) - 1, object->name, NAME_ROOM);
    return syscall(SYS_newfstatat, AT_FDCWD, path, &info, AT_SYMLINK_NOFOLLOW) == 0 &&
           info.st_ino == object->inode && info.st_dev == object->device;
}

static bool segment_remains(int id)
{
    struct shmid_ds info;

    return syscall(SYS_shmctl, id, IPC_STAT, &info) == 0 && !(info.shm_perm.mode & SHM_DEST);
}

bool names_remains(uint32_t number)
{
    const struct object *object = at(number);
    const int saved = errno;
    bool remains;

    if (!object || is_free(object))
        return false;
    remains = object->device == SEGMENT ? segment_remains((int)object->inode) : file_remains(object);
    errno = saved;
    return remains;
}

/* What was made and never mapped, or is mapped no more, and has lost its name: its slot is free again. */
static uint32_t stale_slot(void)
{
    for (uint32_t i = 0; i < used; i++)
        if (is_free(&objects[i]) || (objects[i].mapped == 0 && !names_remains(i + 1)))
            return i;
    return used;
}

static uint32_t make(uint64_t device, uint64_t inode, const char *name)
{
    uint32_t slot = used;

    if (!objects)
        objects = own_map(OBJECTS_MAX * sizeof(*objects));
    if (objects && used == OBJECTS_MAX)
        slot = stale_slot();
    if (!objects || slot == OBJECTS_MAX) {
        state_lose(LOST_maps_full, 1);
        return 0;
    }
    INVARIANT(slot <= used && slot < OBJECTS_MAX && strlen(name) < NAME_ROOM);
    used += slot == used;
    objects[slot] = (struct object){.device = device, .inode = inode};
    memcpy(objects[slot].name, name, strlen(name) + 1);
    return slot + 1;
}

void names_opened(int fd, const char *name)
{
    struct stat info;

    if (fstat(fd, &info) != 0 || info.st_size != 0 || info.st_nlink == 0 ||
        strlen(bare(name)) >= NAME_ROOM || !brief_lock(&held, TRIES))
        return;
    names_forget(find(info.st_dev, info.st_ino)); /* its number is used again */
    (void)make(info.st_dev, info.st_ino, bare(name));
    brief_unlock(&held);
}

uint32_t names_of_file(int fd)
{
    struct stat info;

    return used > 0 && fstat(fd, &info) == 0 ? find(info.st_dev, info.st_ino) : 0;
}

uint32_t names_of_segment(int id)
{
    struct shmid_ds info;
    uint32_t object = used > 0 ? find(SEGMENT, (uint64_t)id) : 0;

    if (object || syscall(SYS_shmctl, id, IPC_STAT, &info) != 0 || info.shm_cpid != getpid() ||
        (info.shm_perm.mode & SHM_DEST) || !brief_lock(&held, TRIES))
        return object;
    object = make(SEGMENT, (uint64_t)id, "");
    brief_unlock(&held);
    return object;
}

uint32_t names_find(const char *name)
{
    for (uint32_t i = 0; i < used; i++)
        if (!is_free(&objects[i]) && objects[i].device != SEGMENT &&
            strcmp(objects[i].name, bare(name)) == 0)
            return i + 1;
    return 0;
}

void names_mapped(uint32_t object, int count)
{
    if (at(object))
        (void)__atomic_add_fetch(&at(object)->mapped, (uint32_t)count, __ATOMIC_RELAXED);
}

bool names_is_mapped(uint32_t object)
{
    return at(object) && __atomic_load_n(&at(object)->mapped, __ATOMIC_RELAXED) > 0;
}

void names_forget(uint32_t object)
{
    if (at(object))
        *at(object) = (struct object){.device = 0};
}

void names_forked(void)
{
    used = 0;
    held = 0;
}
