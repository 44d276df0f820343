/* quantity.h - memory totals of a process that may rise without an explanation. */
#ifndef TARE_DOCTOR_QUANTITY_H
#define TARE_DOCTOR_QUANTITY_H

enum quantity_id { QUANTITY_LIVE, QUANTITY_ARENAS, QUANTITY_RESIDENT };

/* The unit of the length of a rise. */
enum span_unit { SPAN_TICKS, SPAN_TIME, SPAN_RETURNS }; /* SPAN_TIME: nanoseconds; SPAN_RETURNS: of a loop */

#endif /* TARE_DOCTOR_QUANTITY_H */
