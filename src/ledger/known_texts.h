/* known_texts.h - the texts of known_texts.def as an enum: made when a ledger is read, so that
 * nothing later has to look at the words.
 */
#ifndef TARE_LEDGER_KNOWN_TEXTS_H
#define TARE_LEDGER_KNOWN_TEXTS_H

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

enum known_text {
    KNOWN_none,
#define KNOWN_TEXT(name, text) KNOWN_##name,
#include "ledger/known_texts.def"
#undef KNOWN_TEXT
    KNOWN_TEXTS
};

static inline const char *known_text(enum known_text which)
{
    static const char *const texts[KNOWN_TEXTS] = {
        [KNOWN_none] = "",
#define KNOWN_TEXT(name, text) [KNOWN_##name] = text,
#include "ledger/known_texts.def"
#undef KNOWN_TEXT
    };

    return texts[which];
}

/* Which of them `text` is, or begins with (`whole` false). */
static inline enum known_text known_text_of(const char *text, bool whole)
{
    for (unsigned i = KNOWN_none + 1; i < KNOWN_TEXTS; i++) {
        const char *known = known_text((enum known_text)i);

        if (whole ? strcmp(text, known) == 0 : strncmp(text, known, strlen(known)) == 0)
            return (enum known_text)i;
    }
    return KNOWN_none;
}

#endif /* TARE_LEDGER_KNOWN_TEXTS_H */
