/* screen.c - see screen.h; with ncurses. */
#include "live/screen.h"

#include <errno.h>
#include <langinfo.h>
#include <locale.h>
#include <ncurses.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <termios.h>
#include <unistd.h>

#include "base/guard.h"

#define ESCAPE_DELAY_MS 25 /* wait after Esc for the other bytes of a key */

static SCREEN *terminal;             /* NULL: not open */
static volatile sig_atomic_t wanted; /* the signal that asks this process to end */
static bool gone;

/* What a handler needs to restore the terminal; it may not call the curses library. */
static struct termios mode_before;
static char leave[256];

static const int ending[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGALRM, SIGUSR1, SIGUSR2};
static const int crashing[] = {SIGSEGV, SIGBUS, SIGABRT, SIGFPE, SIGILL};

/* ---- signals ---- */

static void note_end(int number)
{
    wanted = number;
}

static void crash(int number, siginfo_t *info, void *context)
{
    struct sigaction plain = {.sa_handler = SIG_DFL};

    (void)context;
    if (guard_mend(info))
        return;
    (void)!write(STDOUT_FILENO, leave, strlen(leave));
    (void)tcsetattr(STDIN_FILENO, TCSANOW, &mode_before);
    (void)sigaction(number, &plain, NULL); /* as if it had not been caught */
    (void)raise(number);
}

static void catch_signals(void)
{
    struct sigaction end = {.sa_handler = note_end};
    struct sigaction fault = {.sa_sigaction = crash, .sa_flags = SA_SIGINFO};

    for (size_t i = 0; i < sizeof(ending) / sizeof(ending[0]); i++)
        (void)sigaction(ending[i], &end, NULL);
    for (size_t i = 0; i < sizeof(crashing) / sizeof(crashing[0]); i++)
        (void)sigaction(crashing[i], &fault, NULL);
}

int screen_signal(void)
{
    return wanted ? (int)wanted : gone ? SIGHUP : 0;
}

void screen_die(int number)
{
    struct sigaction plain = {.sa_handler = SIG_DFL};

    (void)sigaction(number, &plain, NULL);
    (void)raise(number);
}

/* ---- the terminal ---- */

static void add_string(const char *name)
{
    const char *text = tigetstr(name);

    if (text && text != (const char *)-1 && strlen(leave) + strlen(text) + 1 < sizeof(leave))
        strcat(leave, text);
}

static bool can_move(void)
{
    const char *text = tigetstr("cup");

    return text && text != (const char *)-1;
}

static void choose_colors(void)
{
    const char *refused = getenv("NO_COLOR");

    if ((refused && *refused) || !has_colors() || start_color() == ERR)
        return;
    (void)use_default_colors();
    (void)init_pair(1, COLOR_GREEN, -1);
    (void)init_pair(2, COLOR_RED, -1);
    (void)init_pair(3, COLOR_YELLOW, -1);
}

int screen_open(struct why *why)
{
    const char *type = getenv("TERM");

    if (!isatty(STDIN_FILENO) || !isatty(STDOUT_FILENO) ||
        tcgetattr(STDIN_FILENO, &mode_before) != 0)
        return fail(why, ERR_IO, "standard input and output are not a terminal; "
                                 "use --once to print one picture");
    (void)setlocale(LC_CTYPE, "");
    terminal = newterm(NULL, stdout, stdin);
    if (terminal && !can_move()) {
        screen_close();
        return fail(why, ERR_IO, "the terminal \"%s\" cannot move its cursor; "
                                 "use --once to print one picture",
                    type ? type : "");
    }
    if (!terminal)
        return fail(why, ERR_IO, "the terminal type \"%s\" is unknown; use --once to print one picture",
                    type ? type : "");
    add_string("sgr0");
    add_string("cnorm");
    add_string("rmcup");
    add_string("rmkx");
    catch_signals();
    (void)cbreak();
    (void)noecho();
    (void)nonl();
    (void)keypad(stdscr, TRUE);
    (void)nodelay(stdscr, TRUE);
    (void)set_escdelay(ESCAPE_DELAY_MS);
    (void)curs_set(0);
    choose_colors();
    return 0;
}

void screen_close(void)
{
    if (!terminal)
        return;
    (void)curs_set(1);
    (void)endwin();
    delscreen(terminal);
    terminal = NULL;
}

void screen_size(unsigned *rows, unsigned *columns)
{
    *rows = (unsigned)(LINES > 0 ? LINES : 1);
    *columns = (unsigned)(COLS > 0 ? COLS : 1);
}

bool screen_is_ascii(void)
{
    return strcmp(nl_langinfo(CODESET), "UTF-8") != 0;
}

static attr_t attribute(const struct frame_line *line)
{
    static const attr_t tones[] = {
        [TONE_PLAIN] = A_NORMAL, [TONE_BOLD] = A_BOLD,   [TONE_GOOD] = A_BOLD,
        [TONE_BAD] = A_BOLD,     [TONE_UNSURE] = A_BOLD, [TONE_FAINT] = A_DIM,
    };
    static const short pairs[] = {
        [TONE_GOOD] = 1, [TONE_BAD] = 2, [TONE_UNSURE] = 3, [TONE_FAINT] = 0};
    attr_t shown = tones[line->tone];

    shown |= (attr_t)COLOR_PAIR(pairs[line->tone]);
    return line->marked ? shown | A_REVERSE : shown;
}

void screen_show(const struct frame *frame)
{
    (void)erase();
    for (unsigned i = 0; i < frame->rows; i++) {
        const struct frame_line *line = &frame->lines[i];

        (void)attrset((int)attribute(line));
        (void)mvaddstr((int)i, 0, line->text);
        if (line->marked)
            for (size_t at = frame_width(line->text); at < frame->columns; at++)
                (void)addch(' ');
    }
    (void)attrset(A_NORMAL);
    (void)refresh();
}

/* ---- keys ---- */

int screen_press(void)
{
    const int key = getch();

    switch (key) {
    case ERR:
    case KEY_RESIZE: /* the next frame has the new size */
        return PRESS_NONE;
    case KEY_UP:
        return PRESS_UP;
    case KEY_DOWN:
        return PRESS_DOWN;
    case KEY_PPAGE:
        return PRESS_PAGE_UP;
    case KEY_NPAGE:
        return PRESS_PAGE_DOWN;
    case KEY_HOME:
        return PRESS_FIRST;
    case KEY_END:
        return PRESS_LAST;
    case '\t':
        return PRESS_TAB;
    case KEY_ENTER:
    case '\r':
    case '\n':
        return PRESS_ENTER;
    case KEY_BACKSPACE:
    case '\b':
    case 127:
        return PRESS_ERASE;
    default:
        return key < 256 ? key : PRESS_NONE;
    }
}

void screen_wait(int fd, uint64_t timeout_ns)
{
    struct pollfd on[] = {{.fd = STDIN_FILENO, .events = POLLIN}, {.fd = fd, .events = POLLIN}};

    if (poll(on, 2, (int)(timeout_ns / 1000000u) + 1) > 0 &&
        (on[0].revents & (POLLHUP | POLLERR)) != 0)
        gone = true;
}
