/* say.h - the last stage: facts in, words out.
 *
 * Runs when every rule is done. It reads findings and changes none of their numbers; nothing that judges may
 * include this room.
 */
#ifndef TARE_DOCTOR_SAY_H
#define TARE_DOCTOR_SAY_H

struct process_report; /* doctor/facts/diagnosis.h */
struct visit;          /* doctor/measure/visit.h */

/* Fills the report's answer, notes and, of each finding, all that is words. The report's numbers are those
 * of this visit, which has been judged. */
void say_process(struct process_report *report, const struct visit *visit);

#endif /* TARE_DOCTOR_SAY_H */
