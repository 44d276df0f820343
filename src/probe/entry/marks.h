/* marks.h - the marks of include/tare/mark.h, as the rest of the probe sees them. */
#ifndef TARE_PROBE_MARKS_H
#define TARE_PROBE_MARKS_H

/* A new process begins with no scope names: its ledger has none. */
void marks_forked(void);

#endif /* TARE_PROBE_MARKS_H */
