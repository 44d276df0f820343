/* record_sources.c - see record_sources.h. */
#include "doctor/source/record_sources.h"

#include "base/arena.h"
#include "doctor/source/packages.h"
#include "doctor/source/places.h"
#include "doctor/source/python_imports.h"
#include "doctor/source/source.h"
#include "doctor/source/symbols.h"
#include "ledger/model.h"

static int visit_process(const struct run *run, const struct model *model, struct symbols *symbols,
                         struct sources *sources, struct arena *arena, struct why *why)
{
    struct places *places = places_new(model, symbols, sources, arena);

    if (!places)
        return fail(why, ERR_NOMEM, "no memory to record the source files");
    places_look_in(places, run->directory);
    places_visit_sources(places);
    places_free(places);
    return 0;
}

static int visit_run(const struct run *run, struct ledger *ledger, struct arena *arena,
                     struct why *why)
{
    struct symbols *symbols = symbols_new(arena);
    struct sources *sources = sources_record(run, ledger, arena);
    int err = symbols && sources ? 0 : fail(why, ERR_NOMEM, "no memory to record the source files");

    for (size_t i = 0; i < run->process_count && !err; i++)
        err = visit_process(run, run->processes[i], symbols, sources, arena, why);
    if (!err) {
        python_imports_follow(sources);
        packages_record(run, ledger);
    }
    sources_free(sources);
    if (symbols)
        symbols_free(symbols);
    return err;
}

int record_sources(const char *directory, struct ledger *ledger, struct why *why)
{
    struct arena *arena = arena_new();
    struct run run;
    int err = arena ? run_load(&run, directory, why)
                    : fail(why, ERR_NOMEM, "no memory to record the source files");

    if (!err) {
        err = visit_run(&run, ledger, arena, why);
        run_free(&run);
    }
    if (arena)
        arena_free(arena);
    return err;
}
