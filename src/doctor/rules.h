/* rules.h - every threshold of the verdict, with its reason; docs/verdicts.md tells the whole rule.
 *
 * "Tick" is one tick of the chosen clock. Counts of 3, 6 and 8 make chance small; shares were set on
 * real programs (training loops, 74 of them) and are kept by the simulator (make simulate).
 */
#ifndef TARE_DOCTOR_RULES_H
#define TARE_DOCTOR_RULES_H

/* ---- suspicion, from exact counters ---- */
#define RULE_SEGMENTS 8        /* equal parts of a window; their minima are free of transients */
#define RULE_FIRST_LOOK 32     /* ticks before which a class is not suspected (but see heavy steps) */
#define RULE_FIRST_SLICE 128   /* slices of time: a program that builds something rises too */
#define RULE_WINDOW_MIN 24     /* three ticks for each segment */
#define RULE_RISE_MIN 3        /* blocks: less is rounding */
#define RULE_RISES_NEEDED 6    /* of the 7 differences; one miss is allowed to rare leaks */
#define RULE_PACE 0.25         /* the last two segments keep at least this share of the mean pace */
#define RULE_MATTERS 10        /* a class with a tenth of the sampled blocks, or more, matters */
#define RULE_QUIET 8           /* allocations per tick below which a class costs nothing to watch */
#define RULE_WATCH_BUDGET 50   /* samples per tick for all classes: 1% of the smallest step */
#define RULE_WATCH_MOST 5000   /* allocations per tick: more are not watched one by one, for anything */

/* ---- few, but heavy steps: a loop that builds models ---- */
#define RULE_HEAVY_TICKS 12    /* enough when every tick leaves RULE_HEAVY_BLOCKS */
#define RULE_HEAVY_BLOCKS 100
#define RULE_HEAVY_AGE 3       /* ticks after which a block of a heavy step is old */

/* ---- small objects of an interpreter ---- */
#define RULE_OBJECTS_TICKS 64  /* before it free lists and caches fill: only many are suspect */
#define RULE_OBJECTS_MANY 10   /* per tick */
#define RULE_OBJECTS_FEW 3     /* clean loops gain up to 2.6 until the collector runs */
#define RULE_OBJECTS_ONE 1     /* … and one is enough, where so many have come in all: … */
#define RULE_OBJECTS_ALL 1000  /* … a server of requests that keeps a name of each */
#define RULE_OBJECTS_WINDOW 200 /* ticks for which they are followed */
#define RULE_OBJECTS_SIZE 64   /* bytes of one, where none was followed */
#define RULE_COLLECTS_OFTEN 8    /* collections in half a run: garbage does not wait */
#define RULE_COLLECTED 4       /* a collection that met a quarter of the blocks speaks for them */
#define RULE_LAG_SHARE 0.01    /* of the resident size: less that waits for a collection is a note */
#define RULE_LAG_SCRIPT (16u << 20) /* bytes that waited for V8 in one run: less it would not tell */
#define RULE_OBJECTS_WINDOWS 3 /* in one run */

/* ---- conviction, from cohorts ---- */
#define RULE_AGE_SHARE 4       /* a block is old after a quarter of the window */
#define RULE_AGE_MIN 5         /* ticks: the ledger keeps deaths from age 4 on */
#define RULE_HELD_PART 4       /* a holder has one part in so many of them, or more */
#define RULE_HELD_MIN 3        /* blocks that a search found held: fewer may be the current step's */
#define RULE_SURVIVORS 8       /* sampled survivors of one site */
#define RULE_EVENTS 6          /* distinct ticks that left a survivor */
#define RULE_TAIL 0.001        /* of the Poisson test, divided by the number of sites tested */
#define RULE_GAP 3             /* the last arrival is at most this many usual gaps ago */
#define RULE_GAP_TENSORS 6     /* … of tensors, of which chance follows some */
#define RULE_NEWER_HALF 3      /* a third of the survivors comes from the newer half */
#define RULE_NET 0.5           /* the class grows by half of what survives, or more */
#define RULE_NOISE 3           /* standard deviations of random arrivals */
#define RULE_OTHERS 0.3        /* all classes together grow by this share: nothing leaves instead */
#define RULE_ALIVE 0.5         /* of all that ever grew old at the site; else it is withdrawn */
#define RULE_COVERED 0.75      /* of the growth: sites that explain less are told as one */
#define RULE_TOLD_MOST 1.25    /* times the growth: what samples make of it beyond that is cut off */
#define RULE_COVERED_COMPILED 0.5 /* … where functions are compiled: by threads that have no line, too */
#define RULE_EVICTED 0.1       /* below this share of releases a bounded store cannot be excluded */

/* ---- has it stopped? ---- */
#define RULE_STILL_TICKS 32    /* without a lasting rise, or … */
#define RULE_STILL_GAPS 5      /* … five usual gaps between rises: it stopped */
#define RULE_LAST_THIRD 0.25   /* of the mean third: it stopped */
#define RULE_TREND_ERRORS 1.5  /* standard errors by which arrivals lie early: it is slowing, if … */
#define RULE_TREND_SHIFT 0.08  /* … by this share of the window too (a finite key set: 0.2) */
#define RULE_TREND_UNITS 1000  /* blocks of which a steady trend is known to one part in a hundred */
#define RULE_TREND_STEADY 0.02 /* a shift below this is no trend: growth after a warm-up shows it */
#define RULE_PLATEAU_BYTES (64 * 1024) /* a rise that stopped is worth a word from here on */
#define RULE_PLATEAU_SHARE 0.001 /* of the resident size: less is not worth a word */
#define RULE_COLLECTED_SHARE 0.25 /* of a doubt that rests on a counter alone: a collection returned it */
#define RULE_PLATEAU_RISES 12  /* distinct rises: less is set-up, not filling */

/* ---- containers grown by reallocation (rule G) ---- */
#define RULE_GROWN_SIZE (16 * 1024) /* smaller containers do not matter, and are not sampled surely */
#define RULE_GROWN_BLOCKS 8         /* a site with more blocks is judged by its cohort */
#define RULE_GROWN_TIMES 8          /* resized or replaced at least this often */
#define RULE_GROWN_RISES 4          /* of the 7 differences in the last half */
#define RULE_GROWN_CLASSES 3        /* entered one after the other by an array that is rebuilt */
#define RULE_GROWN_STEADY 0.6       /* the newer half grows by this share of the older, or more */
#define RULE_GROWN_SHARE 0.5        /* the block explains half of the growth, the classes do not */

/* ---- queues that are never emptied ---- */
#define RULE_BACKLOG_TICKS 64  /* of the window: shorter ones are a queue finding its level */
#define RULE_BACKLOG_BEND 0.05 /* shift of arrivals from a straight line */
#define RULE_BACKLOG_WAITS 1.5 /* times as long as at first */
#define RULE_BACKLOG_ERRORS 5  /* standard deviations of a queue in balance, births and deaths random */

/* ---- the heap of JavaScript, behind full collections ---- */
#define RULE_SET_UP 4                 /* the first part in this many of the time before a cohort is set-up */
#define RULE_TENSORS_GO 4             /* times as many went with collections as stayed: such tensors go */
#define RULE_HEAP_TROUGHS 4           /* collections; below 6 every one must leave more */
#define RULE_HEAP_BYTES (1024 * 1024) /* in all: less is the engine's own, code and caches … */
#define RULE_HEAP_STEADY (384 * 1024) /* … unless it is as regular as this: … */
#define RULE_HEAP_MANY 5              /* … so many collections or more, … */
#define RULE_HEAP_ASIDE 0.08          /* … none further than this part of the rise from the line */
#define RULE_HEAP_SERVED (128 * 1024) /* more in use in a server of requests: collections would tell */
#define RULE_HEAP_MOMENT 1000000000u  /* nanoseconds between two collections, of which the second … */
#define RULE_HEAP_SETTLES 0.1         /* … may leave this part less, though the heap grows */
#define RULE_HEAP_REQUESTS 3          /* collections of a heap that requests fill: open, if it rose by … */
#define RULE_HEAP_LITTLE (64 * 1024)  /* … for good in the newer half, and in a day by RULE_DAY_BYTES */
#define RULE_HEAP_NEWER 0.3           /* of the rise falls into the newer half of the time */
#define RULE_HEAP_UNSEEN 0.25         /* of the time that collections saw: more than this is looked at */
#define RULE_HEAP_END 0.75            /* of that part: behind it, half of what is due must be there */
#define RULE_HEAP_SHARE 0.5           /* of other growth: less belongs to that */

/* ---- stores that frameworks keep ---- */
#define RULE_KEPT_SHARE 4      /* the program's container has a quarter of what the store gained, or more */
#define RULE_KEPT_LEAST 8      /* entries gained: fewer are set-up */
#define RULE_KEPT_SMALL 1024   /* bytes per tick: TensorFlow gains 650 per new scalar, 900 per iterator */
#define RULE_KEPT_COMPILED 4096 /* bytes per tick: JAX gains 2,000 per function compiled and dropped */
#define RULE_KEPT_LATE 4       /* still growing in the last quarter of the run */

/* ---- what is worth saying ---- */
#define RULE_NOTE_RATE 64      /* bytes per tick: clean frameworks gain up to 52 */
#define RULE_FINDING_RATE 256  /* a list of dictionaries gains 240 */
#define RULE_RECORD_RATE 768   /* … where objects are managed; a list of detached losses gains 640 */
#define RULE_MODEL_RATE 8192   /* the same per model: a clean loop that trains models eagerly gains 5,000 */
#define RULE_SMALL_SHARE 0.25  /* of the largest finding: a smaller one below the floor is a note */
#define RULE_RECORD_SHARE 0.05 /* of tensors on a device: what library and driver note of them */
#define RULE_RATE_ERROR 0.05   /* of a rate, at least: mallinfo2 differs so much where counters are exact */
#define RULE_DAY_BYTES 268435456.0 /* in a day of requests: a finding, however little each leaves */
#define RULE_DAY 86400.0       /* seconds: a note that reaches the limit within a day is a finding */
#define RULE_FORESEEN 100      /* … if that is no more than this many times as long as the run */

/* ---- resident size against live bytes ---- */
#define RULE_GAP_BYTES (16ull << 20)      /* four times what a trim moves in a clean loop */
#define RULE_GAP_GROWTH 3                 /* times the growth of live bytes */
#define RULE_TRIM_SHARE 0.3               /* a trim that returns this much shows holes, not pins */
#define RULE_RETAINED_BYTES (32ull << 20) /* free memory that an allocator keeps: from here on a word */
#define RULE_RETAINED_SHARE 0.3           /* of the resident size */

#define RULE_MANY_THREADS 3               /* from here on glibc has made arenas beside the main one */

/* ---- what made the peak ---- */
#define RULE_PEAK_BYTES (16ull << 20) /* smaller parts of a peak are not worth a person's time */
#define RULE_PEAK_SHARE 0.1    /* … nor are those that are less than a tenth of it */
#define RULE_PEAK_ASK 0.05     /* of the resident size, which has more in it than the peak: asked about */
#define RULE_PEAK_FINDINGS 4   /* more than four parts of a tenth each are a list, not advice */
#define RULE_PEAK_STOOD 8      /* intervals without a new peak, or a new block of the site: it stands */
#define RULE_PEAK_ASKS 3       /* times that a program is asked who holds its large blocks */
#define RULE_PEAK_MANY 8       /* equal blocks of one line that are a list, rather than a few arrays */
#define RULE_PEAK_SAME 0.05    /* a stacked copy is as large as its parts, within this … */
#define RULE_PEAK_ERRORS 3.0   /* … or so many standard errors of the sampled sum */
#define RULE_PEAK_GONE 0.1     /* less than this share is left: it was released */
#define RULE_PEAK_AGAIN 3      /* times the peak's bytes made in all: it is made anew again and again */
#define RULE_PEAK_BATCH 4      /* a batch is at most a quarter of the data set */
#define RULE_PEAK_STEPS 12     /* steps through which an array must last to be called a data set */

/* ---- pools of libraries ---- */
#define RULE_POOL_BYTES (16ull << 20) /* resident in a pool, and … */
#define RULE_POOL_RISE (8ull << 20)   /* … risen in the second half of the run: from here on a word */

/* ---- open files ---- */
#define RULE_DESCRIPTORS 64       /* fewer more than at first are what a framework opens */
#define RULE_DESCRIPTORS_STEP 0.5 /* for each step: less has another reason than the steps */

/* ---- the choice of the clock ---- */
#define RULE_CLOCK_ENOUGH 32   /* ticks that let the rules work as measured */
#define RULE_CLOCK_FEW 12      /* ticks that are enough when they are heavy */
#define RULE_CLOCK_LEAST 3     /* fewer are no clock */

/* ---- is there enough to judge by? ---- */
#define RULE_LOADING_MOST 60.0 /* seconds: a program that failed sooner may have been loading still */
#define RULE_BUILDING_MOST 30.0 /* seconds without a step: an interpreter imports, builds and fits so long */
#define RULE_LITTLE_SHARE 0.005 /* of the resident size: so little growth by a weak clock is a result */

/* ---- processes that were not watched: which matter? ---- */
#define RULE_UNWATCHED_LEAST 1.3 /* seconds: a watched one is not judged by less, either … */
#define RULE_UNWATCHED_SHARE 0.5 /* … and it lived for so much of the run … */
#define RULE_UNWATCHED_LONG 10.0 /* … or for so many seconds */

/* ---- does a clean verdict leave something unexplained? ---- */
#define RULE_CLOSED_STAIRS 3   /* rises without a fall: a phase that leaks each time it comes */
#define RULE_CLOSED_LIVE (1u << 20) /* bytes of live memory that rose to the end, … */
#define RULE_CLOSED_PART 0.5 /* of the rise: a finding that tells of less does not explain it */
#define RULE_CLOSED_SHARE 0.02      /* … and their share of the resident size, … */
#define RULE_CLOSED_RESIDENT 0.1    /* … and that of the resident size itself: less comes and goes */

/* ---- phases: is a loop over? ---- */
#define RULE_PHASE_SHARE 20    /* work after it, one part in so many of its own: less is tidying up */
#define RULE_PHASE_LOOPS 64    /* loops that are distinguished */

#endif /* TARE_DOCTOR_RULES_H */
