/* marks.h - the marks of include/tare/mark.h, as the rest of the probe sees them. */
#ifndef TARE_PROBE_MARKS_H
#define TARE_PROBE_MARKS_H

/* The current thread enters a scope, or leaves it. The name is copied. */
void marks_scope_begin(const char *name);
void marks_scope_end(void);

/* A new process begins with no scope names: its ledger has none. */
void marks_forked(void);

#endif /* TARE_PROBE_MARKS_H */
