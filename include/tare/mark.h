/* tare/mark.h - mark for tare where a step or a named scope begins and ends.
 *
 * Header only; nothing to link. The first mark looks the probe up, under the loader's lock;
 * after that a mark costs two loads and two branches when the probe is absent. Marks never fail
 * and leave errno alone. Any thread; not from a signal handler.
 *
 *     for (uint64_t i = 0; i < steps; i++) {
 *         tare_step(i);
 *         train_one_batch();
 *     }
 */
#ifndef TARE_MARK_H
#define TARE_MARK_H

#include <dlfcn.h>
#include <errno.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* What the probe exports as `tare_marks_v1`. Frozen: an addition gets a new symbol, tare_marks_v2. */
struct tare_marks {
    void (*step)(uint64_t index);          /* a step begins; the probe counts steps itself */
    void (*scope_begin)(const char *name); /* a scope begins on this thread; the name is copied */
    void (*scope_end)(void);               /* the scope that began last on this thread ends */
};

/* Internal. Not a weak symbol: in a program built with -fno-pie that links, and never resolves. */
static inline const struct tare_marks *tare_marks_(void)
{
    static const struct tare_marks absent = {0, 0, 0};
    static const struct tare_marks *found; /* racing threads all store the same answer */
    const struct tare_marks *marks = __atomic_load_n(&found, __ATOMIC_ACQUIRE);

    if (!marks) {
        const int saved = errno;
        marks = (const struct tare_marks *)dlsym((void *)0 /* any object */, "tare_marks_v1");
        if (!marks)
            marks = &absent;
        __atomic_store_n(&found, marks, __ATOMIC_RELEASE);
        errno = saved;
    }
    return marks;
}

/* A new step starts now; the one before it, if any, is over. */
static inline void tare_step(uint64_t index)
{
    const struct tare_marks *marks = tare_marks_();

    if (marks->step)
        marks->step(index);
}

/* What is allocated from here to the matching end belongs to `name`. Scopes nest, per thread. */
static inline void tare_scope_begin(const char *name)
{
    const struct tare_marks *marks = tare_marks_();

    if (marks->scope_begin)
        marks->scope_begin(name);
}

static inline void tare_scope_end(void)
{
    const struct tare_marks *marks = tare_marks_();

    if (marks->scope_end)
        marks->scope_end();
}

#ifdef __cplusplus
}
#endif
#endif /* TARE_MARK_H */
