/* export.h - what the probe exports to the rest of the process; probe.map lists the same names. */
#ifndef TARE_PROBE_EXPORT_H
#define TARE_PROBE_EXPORT_H

#define EXPORT __attribute__((visibility("default")))

#endif /* TARE_PROBE_EXPORT_H */
