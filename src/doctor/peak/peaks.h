/* peaks.h - what made the high-water mark, and what would have been enough.
 *
 * Advice, not a verdict: a program that needs much memory for a while is not ill. Each finding names
 * lines, variables, types and shapes as they were measured, and what a change would save, computed
 * from the same numbers. Rules, in this order; a line is reported once, except the last of a pair:
 *
 *   copy          two arrays of equal shape, both alive through the steps: one is made of the other
 *   stacked       many equal blocks of one line beside a block of their total size, made after them
 *   dataset       one array, made before the steps and alive through them, of which a step uses a part
 *   intermediate  made in each step and released again
 *   temporary     made once, released after the peak
 *   large         none of these
 */
#ifndef TARE_DOCTOR_PEAKS_H
#define TARE_DOCTOR_PEAKS_H

#include <stddef.h>
#include <stdint.h>

struct model;          /* ledger/model.h */
struct process_report; /* doctor/facts/diagnosis.h */
struct visit;          /* doctor/measure/visit.h */

#define PEAKS_ASKED 4 /* sites asked about at once */

/* Fills report->peak_findings. The report's numbers must be filled, and the visit's clock chosen. */
void peaks_fill(struct process_report *report, const struct visit *visit);

/* Sites of large blocks that have stood for a while, of which it is not known who holds them: index
 * + 1, largest first. */
size_t peaks_wanted(const struct model *model, uint32_t sites[PEAKS_ASKED]);

#endif /* TARE_DOCTOR_PEAKS_H */
