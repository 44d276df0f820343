/* notes.c - sentences about the process as a whole, and what is missing for a verdict. */
#include "doctor/say/sentences.h"

#include "doctor/facts/diagnosis.h"

/* ---- what is missing: the end of "Too early to say: …" ---- */

SENTENCE(lacks_steps)
{
    (void)out;
    if (fact->n[0] == 0)
        return "no step was seen";
    return arena_print(visit->arena, "%s %s seen; %s more are needed", say_ticks(visit, fact->n[0]),
                       fact->n[0] == 1 ? "was" : "were", say_count(visit, fact->n[1]));
}

SENTENCE(lacks_time)
{
    const double seen = fact->rate, least = fact->least;

    (void)out;
    if (visit->model->cut && visit->model->step_count == 0)
        return "the ledger is cut off, and no step is in what is left of it";
    if (seen < 0.1)
        return arena_print(visit->arena, "the program ran for %.0f ms; without steps, %.*f s are needed",
                           1000 * seen, least < 10, least);
    return arena_print(visit->arena, "no steps were seen in %.*f s; without steps, %.*f s are needed",
                       seen < 10, seen, least < 10, least);
}

SENTENCE(lacks_end_of_loading)
{
    (void)visit, (void)out, (void)fact;
    return "the program failed before any step was seen";
}

SENTENCE(lacks_end_of_loop)
{
    (void)visit, (void)out, (void)fact;
    return "the program failed in its first loop, which may have been loading data";
}

SENTENCE(lacks_after_loop)
{
    (void)visit, (void)out, (void)fact;
    return "the loop that grew has ended, and too little followed it";
}

/* ---- notes ---- */

SENTENCE(note_no_steps)
{
    (void)visit, (void)out, (void)fact;
    return "No step was recorded, so growth could not be judged.";
}

SENTENCE(note_clock_stopped)
{
    (void)out;
    return arena_print(visit->arena,
                       "The steps stopped at %llu, long before the end; what came after them was not judged.",
                       (unsigned long long)fact->n[0]);
}

SENTENCE(note_table_full)
{
    (void)visit, (void)out, (void)fact;
    return "The table of sampled blocks was full for a time, so some survivors were not counted.";
}

/* Tensors that no operation has used: the framework counts them, and the collector has most of them. */
SENTENCE(note_tensors_unused)
{
    const unsigned long long unused = fact->n[0], held = fact->n[1];

    (void)out;
    return arena_print(visit->arena,
                       "tf.memory() counts %llu tensors; its backend has %llu. The other %llu were never "
                       "disposed and never used by an operation: until then their data is "
                       "ordinary JavaScript memory that the collector frees; only the count of "
                       "tf.memory() grows.",
                       unused + held, held, unused);
}

SENTENCE(note_tensors_collected)
{
    (void)out;
    return arena_print(visit->arena,
                       "tf.memory() counts about %llu tensors that were never disposed and whose "
                       "data the collector has released all the same; about %llu are alive. Only "
                       "the count grows by them, not the memory.",
                       (unsigned long long)fact->n[0], (unsigned long long)fact->n[1]);
}

SENTENCE(note_worker_heap)
{
    (void)out;
    return arena_print(visit->arena,
                       "A worker thread ended at step %llu. Over its lifetime its heap grew from "
                       "%s to %s after each collection. That memory was freed with it and is not "
                       "a leak of the process; a long-lived worker would keep growing.",
                       (unsigned long long)fact->n[0], say_size(visit, (double)fact->n[1]),
                       say_size(visit, (double)fact->n[2]));
}

static const char *place_of(const struct visit *visit, const struct place *place)
{
    if (!place || !place->file)
        return "a line that is not known";
    return arena_print(visit->arena, "%s:%u", place->file, place->line);
}

SENTENCE(note_worker_gave)
{
    (void)out;
    return arena_print(visit->arena,
                       "A worker thread ended at step %llu and freed %s that it had allocated at "
                       "%s in steps %llu to %llu; almost nothing of it was freed before. This is "
                       "not a leak of the process; a long-lived worker would keep growing if it "
                       "held this memory.",
                       (unsigned long long)fact->n[0], say_size(visit, (double)fact->n[1]),
                       place_of(visit, fact->place), (unsigned long long)fact->n[2],
                       (unsigned long long)fact->n[3]);
}

SENTENCE(note_device_full)
{
    (void)out;
    return arena_print(visit->arena,
                       "Device %llu had no memory for a request of %s in step %s: %s were in use, of %s "
                       "taken.%s",
                       (unsigned long long)fact->n[0], say_size(visit, (double)fact->n[1]),
                       say_count(visit, fact->n[4]), say_size(visit, (double)fact->n[2]),
                       say_size(visit, (double)fact->n[3]),
                       fact->place ? arena_print(visit->arena, " %llu%% of what is on it was made at %s.",
                                                 (unsigned long long)fact->n[5], place_of(visit, fact->place))
                                   : "");
}

SENTENCE(note_snapshot_tries)
{
    (void)out;
    return arena_print(visit->arena, "%s %s begun and given up, because %s would have taken too long; that "
                                     "paused the program for %.2f s.",
                       fact->n[0] == 1 ? "A heap snapshot" : arena_print(visit->arena, "%llu heap snapshots",
                                                                         (unsigned long long)fact->n[0]),
                       fact->n[0] == 1 ? "was" : "were", fact->n[0] == 1 ? "it" : "they",
                       (double)fact->n[1] / 1e9);
}

SENTENCE(note_snapshot)
{
    const char *note = arena_print(visit->arena,
                                   "A heap snapshot was taken; it paused the program for %.2f s.",
                                   (double)fact->n[0] / 1e9);

    (void)out;
    return fact->text ? arena_print(visit->arena, "%s It cannot be used: %s.", note, fact->text) : note;
}

/* V8 ends the process itself, by a signal, when a collection has left no room. */
SENTENCE(note_heap_full)
{
    (void)out;
    return arena_print(visit->arena,
                       "The JavaScript heap was full when the program ended: %s of %s were in "
                       "use. The findings above say what filled it.",
                       say_size(visit, (double)fact->n[0]), say_size(visit, (double)fact->n[1]));
}
