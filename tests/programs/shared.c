/* shared.c - hands on data in shared memory that has a name.
 *
 * `shared posix|sysv leave|remove|other PIECES`: each piece is made, filled and unmapped. Its name is left,
 * or removed at once, or by another process some time later. Names that are left are printed.
 */
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/shm.h>
#include <unistd.h>

#include "say.h"

#define SIZE 200000
#define LATE 20 /* pieces for which the other process lets a name stay */

struct piece {
    char name[32];
    int id;
};

static void make_file(struct piece *piece, const char *data)
{
    const int fd = shm_open(piece->name, O_CREAT | O_EXCL | O_RDWR, 0600);
    char *memory;

    if (fd < 0 || ftruncate(fd, SIZE) != 0)
        exit(1);
    memory = mmap(NULL, SIZE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    close(fd);
    memcpy(memory, data, SIZE);
    munmap(memory, SIZE);
}

static void make_segment(struct piece *piece, const char *data)
{
    char *memory;

    piece->id = shmget(IPC_PRIVATE, SIZE, IPC_CREAT | 0600);
    memory = shmat(piece->id, NULL, 0);
    if (memory == (void *)-1)
        exit(1);
    memcpy(memory, data, SIZE);
    shmdt(memory);
}

static void remove_name(const struct piece *piece)
{
    if (piece->name[0])
        shm_unlink(piece->name);
    else
        shmctl(piece->id, IPC_RMID, NULL);
}

/* Gets every piece by the pipe, and removes the one before the last LATE. */
static void remove_all(int from)
{
    struct piece late[LATE], piece;
    unsigned count = 0;

    for (; read(from, &piece, sizeof(piece)) == sizeof(piece); count++) {
        if (count >= LATE)
            remove_name(&late[count % LATE]);
        late[count % LATE] = piece;
    }
    for (unsigned i = 0; i < LATE && i < count; i++)
        remove_name(&late[i]);
    _exit(0);
}

int main(int count, char **words)
{
    const int posix = count > 1 && strcmp(words[1], "posix") == 0;
    const char *end = count > 2 ? words[2] : "leave";
    const int pieces = count > 3 ? atoi(words[3]) : 300;
    int pipes[2];

    if (pipe(pipes) != 0)
        return 1;
    if (strcmp(end, "other") == 0 && fork() == 0) {
        close(pipes[1]);
        remove_all(pipes[0]);
    }
    for (int i = 0; i < pieces; i++) {
        char *data = memset(malloc(SIZE), i, SIZE);
        struct piece piece = {.id = 0};

        if (posix) {
            snprintf(piece.name, sizeof(piece.name), "/tare-%d-%d", getpid(), i);
            make_file(&piece, data);
        } else {
            make_segment(&piece, data);
        }
        free(data);
        if (strcmp(end, "remove") == 0)
            remove_name(&piece);
        else if (strcmp(end, "other") == 0)
            (void)!write(pipes[1], &piece, sizeof(piece));
        else
            say("%s %d\n", posix ? piece.name : "segment", piece.id);
        usleep(10000);
    }
    return 0;
}
