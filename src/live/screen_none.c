/* screen_none.c - replaces screen.c if the curses library was missing when tare was built. */
#include <signal.h>

#include "live/screen.h"

int screen_open(struct why *why)
{
    return fail(why, ERR_IO,
                "this tare was built without ncurses (libncurses-dev), and has no screen; "
                "use --once to print one picture");
}

void screen_close(void)
{
}

void screen_size(unsigned *rows, unsigned *columns)
{
    *rows = FRAME_ROWS_MIN;
    *columns = FRAME_COLUMNS_MIN;
}

bool screen_is_ascii(void)
{
    return true;
}

void screen_show(const struct frame *frame)
{
    (void)frame;
}

int screen_press(void)
{
    return PRESS_NONE;
}

void screen_wait(int fd, uint64_t timeout_ns)
{
    (void)fd;
    (void)timeout_ns;
}

int screen_signal(void)
{
    return SIGHUP;
}

void screen_die(int number)
{
    (void)raise(number);
}
