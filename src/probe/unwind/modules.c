/* modules.c - see the header.
 *
 * The table only grows: a module that was unloaded keeps its place, its name and its record, and is
 * marked gone. One thread at a time adds or marks (`changing`); the others read what was published by
 * moving `count`. A thread that finds `changing` taken for too long continues without it.
 */
#include "probe/unwind/modules.h"

#include <errno.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "probe/core/brief_lock.h"
#include "probe/core/raw.h"
#include "probe/core/self_memory.h"
#include "probe/unwind/module_place.h"

#define TEXT_BYTES (496u * 1024) /* all paths together */
#define PATH_BYTES 4000          /* one path; a ledger string is not longer */
#define LOCK_TRIES 4096
#define GROUP 64 /* modules for which memory is taken at once */
#define PAGE 4096ul

struct module {
    struct module_place place;
    struct module_elf elf;
    uint32_t path; /* offset in texts */
    uint32_t path_size;
    uint64_t loaded;
    uint64_t gone;     /* atomic: 0 while it is loaded */
    uint32_t verified; /* atomic: generation in which it was last seen to be the same file */
};

struct module_face modules_faces[ROW_MODULES];

static struct module *groups[ROW_MODULES / GROUP]; /* by number; made as they are needed, kept by a fork */
static unsigned count;                     /* atomic: released by enter, acquired by find_known */
static char texts[TEXT_BYTES];
static uint32_t texts_used;
static char program[PATH_BYTES];
static struct ledger *ledger; /* atomic; borrowed from the caller of modules_use */
static uint64_t now;          /* atomic: ordinal of the latest modules_check */
static uint32_t generation;   /* atomic */
static uint8_t changing;      /* atomic */
static modules_seen_fn *seen_fn;
static pid_t owner;           /* the process whose threads may hold `changing` */

/* By number; 0 is none. Only of those that were entered. */
static struct module *module_at(unsigned number)
{
    return &groups[number / GROUP][number % GROUP];
}

void modules_setup(void)
{
    const int saved = errno;
    ssize_t size;

    module_place_init();
    size = readlink("/proc/self/exe", program, sizeof(program) - 1);
    program[size > 0 ? size : 0] = 0;
    owner = getpid();
    __atomic_store_n(&generation, 1, __ATOMIC_RELEASE);
    errno = saved;
}

void modules_on_seen(modules_seen_fn *call)
{
    seen_fn = call;
}

uint32_t modules_generation(void)
{
    return __atomic_load_n(&generation, __ATOMIC_ACQUIRE);
}

/* 0 means "not started" and is stepped over. */
void modules_forget(void)
{
    if (modules_generation() != 0 && __atomic_add_fetch(&generation, 1, __ATOMIC_RELEASE) == 0)
        __atomic_store_n(&generation, 1, __ATOMIC_RELEASE);
}

/* ---- names ---- */

static uint32_t text_add(const char *text, size_t size)
{
    const uint32_t room = TEXT_BYTES - texts_used;
    const uint32_t part = size < room ? (uint32_t)size : room;

    memcpy(texts + texts_used, text, part);
    texts_used += part;
    return part;
}

/* Copies the terminated text at `from`, without touching a page beyond the one it ends in. */
static uint32_t text_copy(uintptr_t from, self_copy_fn *copy)
{
    uint32_t size = 0;
    char piece[64];

    while (size < PATH_BYTES) {
        const uintptr_t left = PAGE - from % PAGE;
        const size_t part = left < sizeof(piece) ? left : sizeof(piece);
        size_t length;

        if (!copy(piece, from, part))
            break;
        length = strnlen(piece, part);
        size += text_add(piece, length);
        if (length < part)
            break;
        from += part;
    }
    return size;
}

/* A name relative to the working directory is made absolute while that is most likely the same. */
static void add_directory(struct module *module)
{
    const uint32_t room = TEXT_BYTES - texts_used;
    long size;

    if (room < 2 * PAGE)
        return;
    size = syscall(SYS_getcwd, texts + texts_used, PAGE);
    if (size <= 1 || texts[texts_used] != '/')
        return;
    texts_used += (uint32_t)size - 1;
    module->path_size += (uint32_t)size - 1 + text_add("/", 1);
}

/* The loader calls the executable "". Names without a slash (the vDSO) are not paths. */
static void read_name(struct module *module, uintptr_t name, self_copy_fn *copy)
{
    const uint32_t begin = texts_used;
    uint32_t size = name ? text_copy(name, copy) : 0;

    module->path = begin;
    module->path_size = 0;
    if (size == 0) {
        module->path_size = text_add(program, strlen(program));
    } else if (texts[begin] != '/' && memchr(texts + begin, '/', size)) {
        texts_used = begin;
        add_directory(module);
        module->path_size += text_copy(name, copy);
    } else {
        module->path_size = size;
    }
}

/* ---- the ledger ---- */

static struct module_record *record_of(struct ledger *to, unsigned number)
{
    const uint32_t unit = __atomic_load_n(&modules_faces[number].unit, __ATOMIC_RELAXED);
    struct module_record *records = to && unit ? ledger_records(to, SECTION_modules) : NULL;

    return records ? &records[unit - 1] : NULL;
}

static void write_record(struct ledger *to, unsigned number)
{
    const struct module *module = module_at(number);
    struct module_record record = {.base = modules_faces[number].base,
                                   .start = module->place.start,
                                   .end = module->place.end,
                                   .build_id_size = module->elf.id_size,
                                   .loaded = module->loaded,
                                   .unloaded = __atomic_load_n(&module->gone, __ATOMIC_RELAXED)};

    _Static_assert(sizeof(record.build_id) == sizeof(module->elf.id), "as in layout.h");
    memcpy(record.build_id, module->elf.id, sizeof(record.build_id));
    record.path = ledger_string(to, texts + module->path, module->path_size);
    __atomic_store_n(&modules_faces[number].unit, ledger_append(to, SECTION_modules, &record),
                     __ATOMIC_RELAXED);
}

static void forget_units(void)
{
    for (unsigned number = 1; number <= count; number++)
        __atomic_store_n(&modules_faces[number].unit, 0, __ATOMIC_RELAXED);
}

/* A thread of the parent that held the lock does not exist in a forked child. */
static void free_lock_after_fork(void)
{
    const pid_t self = getpid();

    if (owner != self) {
        owner = self;
        brief_unlock(&changing);
    }
}

void modules_use(struct ledger *to)
{
    const int saved = errno;

    free_lock_after_fork();
    if (brief_lock(&changing, LOCK_TRIES)) {
        forget_units();
        for (unsigned number = 1; to && number <= count; number++)
            write_record(to, number);
        __atomic_store_n(&ledger, to, __ATOMIC_RELEASE);
        brief_unlock(&changing);
    }
    errno = saved;
}

/* ---- finding ---- */

static bool same_place(const struct module_place *a, const struct module_place *b)
{
    return a->start == b->start && a->end == b->end && a->identity == b->identity &&
           a->header == b->header;
}

static unsigned find_known(const struct module_place *place)
{
    unsigned number = __atomic_load_n(&count, __ATOMIC_ACQUIRE);

    while (number > 0 && (__atomic_load_n(&module_at(number)->gone, __ATOMIC_RELAXED) != 0 ||
                          !same_place(&module_at(number)->place, place)))
        number--;
    return number;
}

/* Holding the lock. Ordinals begin with 1. */
static void mark_gone(unsigned number)
{
    struct module_record *record = record_of(ledger, number);
    uint64_t ordinal = __atomic_load_n(&now, __ATOMIC_RELAXED);

    ordinal += ordinal == 0;
    __atomic_store_n(&module_at(number)->gone, ordinal, __ATOMIC_RELAXED);
    if (record)
        __atomic_store_n(&record->unloaded, ordinal, __ATOMIC_RELEASE);
}

static bool make_group(unsigned number)
{
    struct module **group = &groups[number / GROUP];

    if (!*group)
        *group = raw_map(GROUP * sizeof(**group));
    return *group != NULL;
}

/* Holding the lock. The number, or 0: no room, or it cannot be read. */
static unsigned enter(const struct module_place *place, uint32_t seen, self_copy_fn *copy)
{
    const unsigned number = count + 1;
    struct module *module;
    uintptr_t base = 0, name = 0;

    if (number == ROW_MODULES || !make_group(number)) {
        if (ledger)
            ledger_lose(ledger, LOST_modules_full, 1);
        return 0;
    }
    if (!module_place_describe(place, copy, &base, &name))
        return 0;
    module = module_at(number);
    memset(module, 0, sizeof(*module));
    module->place = *place;
    (void)module_elf_read(place, base, copy, &module->elf);
    read_name(module, name, copy);
    module->loaded = __atomic_load_n(&now, __ATOMIC_RELAXED);
    module->verified = seen;
    modules_faces[number] = (struct module_face){.base = base};
    if (ledger)
        write_record(ledger, number);
    __atomic_store_n(&count, number, __ATOMIC_RELEASE);
    return number;
}

/* Another thread may have been faster: look again, then check or enter. */
static unsigned find_or_enter(const struct module_place *place, self_copy_fn *copy)
{
    const uint32_t seen = modules_generation();
    const int saved = errno;
    unsigned number;

    if (!brief_lock(&changing, LOCK_TRIES))
        return 0;
    number = find_known(place);
    if (number && module_elf_changed(&module_at(number)->elf, place->start, copy)) {
        mark_gone(number);
        number = 0;
    }
    if (number)
        __atomic_store_n(&module_at(number)->verified, seen, __ATOMIC_RELAXED);
    else
        number = enter(place, seen, copy);
    if (number && seen_fn && copy == self_copy_known)
        seen_fn(place->start, modules_faces[number].base, texts + module_at(number)->path,
                module_at(number)->path_size);
    brief_unlock(&changing);
    errno = saved;
    return number;
}

bool modules_find(uintptr_t pc, bool pinned, struct module_view *view)
{
    self_copy_fn *const copy =
        pinned && !module_place_is_snapshot() ? self_copy_known : self_copy;
    struct module_place place;
    unsigned number;

    if (!module_place_find(pc, &place))
        return false;
    number = find_known(&place);
    if (number == 0 ||
        __atomic_load_n(&module_at(number)->verified, __ATOMIC_RELAXED) != modules_generation())
        number = find_or_enter(&place, copy);
    *view = (struct module_view){.number = number};
    if (number && module_at(number)->elf.table_high) {
        view->header = place.header;
        view->memory = (struct eh_memory){.low = module_at(number)->elf.table_low,
                                          .high = module_at(number)->elf.table_high,
                                          .copy = copy};
    }
    return true;
}

/* ---- unloading ---- */

static bool is_gone(const struct module *module)
{
    struct module_place place;

    return !module_place_find(module->place.start, &place) || !same_place(&place, &module->place) ||
           module_elf_changed(&module->elf, place.start, self_copy);
}

static bool check_all(void)
{
    bool any = false;

    for (unsigned number = 1; number <= count; number++) {
        if (module_at(number)->gone != 0)
            continue;
        if (is_gone(module_at(number))) {
            mark_gone(number);
            any = true;
        } else if (ledger && modules_faces[number].unit == 0) {
            write_record(ledger, number);
        }
    }
    return any;
}

void modules_check(uint64_t ordinal)
{
    const int saved = errno;

    if (modules_generation() == 0)
        return;
    __atomic_store_n(&now, ordinal, __ATOMIC_RELAXED);
    module_place_refresh();
    if (brief_lock(&changing, LOCK_TRIES)) {
        if (check_all())
            modules_forget();
        brief_unlock(&changing);
    }
    errno = saved;
}

void modules_forked(void)
{
    modules_use(NULL);
}
