/* wiring.h - what the lower rooms call in the rooms above them: the tables are filled in here. */
#ifndef TARE_PROBE_WIRING_H
#define TARE_PROBE_WIRING_H

void wiring_setup(void);

#endif /* TARE_PROBE_WIRING_H */
