/* press.h - the keys that the screen passes to the views: a byte, or one of these. */
#ifndef TARE_LIVE_PRESS_H
#define TARE_LIVE_PRESS_H

enum press {
    PRESS_NONE = 0, /* no key was pressed */
    PRESS_ESCAPE = 27,
    PRESS_UP = 0x10000,
    PRESS_DOWN,
    PRESS_PAGE_UP,
    PRESS_PAGE_DOWN,
    PRESS_FIRST,
    PRESS_LAST,
    PRESS_TAB,
    PRESS_ENTER,
    PRESS_ERASE /* Backspace */
};

#endif /* TARE_LIVE_PRESS_H */
