/* screen.h - show a frame on a terminal and read keys. Only screen.c uses curses.
 *
 * The terminal is restored, whatever ends the process: signals that end a program are caught from
 * screen_open to screen_close. Without the curses library, screen_none.c replaces screen.c.
 */
#ifndef TARE_LIVE_SCREEN_H
#define TARE_LIVE_SCREEN_H

#include <stdint.h>

#include "base/err.h"
#include "live/frame.h"
#include "live/press.h"

#define SCREEN_REDRAW_NS 250000000ull /* between two pictures, at least */

/* Uses the terminal of standard input and output. ERR_IO: there is none, or its type is not known. */
int screen_open(struct why *why);
void screen_close(void); /* does nothing if no screen is open */

void screen_size(unsigned *rows, unsigned *columns);
bool screen_is_ascii(void); /* the terminal's character set is not UTF-8 */
void screen_show(const struct frame *frame);

int screen_press(void); /* a byte or enum press; PRESS_NONE: no key is waiting */

/* Waits for a key, a change of size, something to read on `fd` (-1: none), or this long. */
void screen_wait(int fd, uint64_t timeout_ns);

/* The signal that asks this process to end, or SIGHUP if the terminal is gone; 0: none. */
int screen_signal(void);

/* Call it after screen_close: ends this process with that signal, as if it had not been caught. */
void screen_die(int number);

#endif /* TARE_LIVE_SCREEN_H */
