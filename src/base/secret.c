/* secret.c - see secret.h. */
#include "base/secret.h"

#include <stdbool.h>

#define NAME_MOST 64 /* bytes of a name that are read, from its end */
#define STARS     3
#define USER_LEAST                                                                                 \
    16 /* a word alone before the @ of a URL is a token if it has so many bytes */

/* ---- the tables ---- */

/* How the name of a secret ends. Case, and characters that are neither letter nor digit, do not
 * count: "api-key", "apiKey" and "API_KEY" are "apikey". */
static const char *const endings[] = {
    "password",   "passwd",      "passphrase",   "passcode",   "secret",        "secretid",
    "token",      "apikey",      "accesskey",    "secretkey",  "privatekey",    "accountkey",
    "authkey",    "sharedkey",   "signingkey",   "sessionkey", "encryptionkey", "licensekey",
    "credential", "credentials", "authorization"};

/* These must be the whole last word of a name: "db-pass", not "bypass". */
static const char *const words[] = {"pass", "pwd", "auth"};

/* Names that end like a secret and are not one: the special tokens of language models. */
static const char *const harmless[] = {"padtoken",   "eostoken",    "bostoken",  "unktoken",
                                       "septoken",   "clstoken",    "masktoken", "stoptoken",
                                       "imagetoken", "specialtoken"};

/* What may stand between a header's name and its secret. */
static const char *const schemes[] = {"bearer", "basic", "token", "digest"};

#define COUNT_OF(array) (sizeof(array) / sizeof((array)[0]))

/* ---- letters ---- */

static bool is_upper(char c)
{
    return c >= 'A' && c <= 'Z';
}

static bool is_plain(char c)
{
    return (c >= 'a' && c <= 'z') || is_upper(c) || (c >= '0' && c <= '9');
}

static bool is_name(char c)
{
    return is_plain(c) || c == '_' || c == '-' || c == '.';
}

static bool is_one_of(char c, const char *set)
{
    while (*set && *set != c)
        set++;
    return *set != 0;
}

static char lower(char c)
{
    return is_upper(c) ? (char)(c + ('a' - 'A')) : c;
}

static size_t length_of(const char *text)
{
    size_t length = 0;

    while (text[length])
        length++;
    return length;
}

/* ---- names ---- */

struct name {
    char plain[NAME_MOST]; /* its last letters and digits, lower case */
    size_t length;
};

static struct name name_of(const char *from, size_t length)
{
    struct name name = {.length = 0};
    size_t count = 0, skip;

    for (size_t i = 0; i < length; i++)
        count += is_plain(from[i]);
    skip = count > NAME_MOST ? count - NAME_MOST : 0;
    for (size_t i = 0; i < length; i++) {
        if (!is_plain(from[i]))
            continue;
        if (skip > 0)
            skip--;
        else
            name.plain[name.length++] = lower(from[i]);
    }
    return name;
}

static bool ends_with(const struct name *name, const char *ending)
{
    const size_t length = length_of(ending);
    size_t same = 0;

    while (same < length && same < name->length &&
           name->plain[name->length - 1 - same] == ending[length - 1 - same])
        same++;
    return same == length;
}

/* The last word of from[length]: what follows its last '-', '_' or '.', or a capital after small
 * letters. */
static size_t last_word(const char *from, size_t length)
{
    size_t at = length;

    while (at > 0 && is_plain(from[at - 1]) &&
           !(at < length && is_upper(from[at]) && !is_upper(from[at - 1])))
        at--;
    return at;
}

static bool is_word(const char *from, size_t length)
{
    const size_t at = last_word(from, length);
    const struct name last = name_of(from + at, length - at);

    for (size_t i = 0; i < COUNT_OF(words); i++)
        if (last.length == length_of(words[i]) && ends_with(&last, words[i]))
            return true;
    return false;
}

/* PWD and OLDPWD are directories of a shell. MY_KEY, in capitals, is a variable that holds a key. */
static bool is_shell_variable(const char *from, size_t length, bool *secret)
{
    const size_t at = last_word(from, length);
    const struct name whole = name_of(from, length), last = name_of(from + at, length - at);

    for (size_t i = 0; i < length; i++)
        if (is_plain(from[i]) && lower(from[i]) == from[i] && !(from[i] >= '0' && from[i] <= '9'))
            return false;
    *secret = at > 0 && last.length == 3 && ends_with(&last, "key");
    return *secret ||
           (ends_with(&whole, "pwd") && (whole.length == 3 || ends_with(&whole, "oldpwd")));
}

static bool is_secret(const char *from, size_t length)
{
    const struct name name = name_of(from, length);
    bool secret = false;

    if (name.length == 0)
        return false;
    if (is_shell_variable(from, length, &secret))
        return secret;
    for (size_t i = 0; i < COUNT_OF(harmless); i++)
        if (ends_with(&name, harmless[i]))
            return false;
    for (size_t i = 0; i < COUNT_OF(endings); i++)
        if (ends_with(&name, endings[i]))
            return true;
    return is_word(from, length);
}

/* ---- values ---- */

static void cover(char *from, const char *end)
{
    while (from < end)
        *from++ = '*';
}

/* scheme://user:secret@host, anywhere in a word. */
static void cover_urls(char *word, char *end)
{
    for (char *at = word; end - at > 3; at++) {
        char *begin = at + 3, *stop = begin, *host = NULL, *colon = NULL;

        if (at[0] != ':' || at[1] != '/' || at[2] != '/')
            continue;
        for (; stop < end && !is_one_of(*stop, "/?# \"'"); stop++) {
            if (*stop == '@')
                host = stop;
            if (*stop == ':' && !colon)
                colon = stop;
        }
        if (host && colon && colon < host)
            cover(colon + 1, host);
        else if (host && host - begin >= USER_LEAST)
            cover(begin, host);
    }
}

/* Where the value at `from` ends; `name` is the name before it. A value in quotes ends with them. A
 * value that is a whole word, or follows another '=', ends with the word. One of several values in
 * a word ends where the next begins. */
static char *value_end(const char *word, const char *name, char *from, char *end)
{
    const char before = name > word ? name[-1] : '=';
    char *stop = from;

    if (from > word && is_one_of(from[-1], "\"'")) {
        while (stop < end && *stop != from[-1])
            stop++;
        return stop;
    }
    if (is_one_of(before, "?&"))
        while (stop < end && !is_one_of(*stop, "&#"))
            stop++;
    else if (before == '=')
        stop = end;
    else
        while (stop < end && !is_one_of(*stop, ",; )}]&"))
            stop++;
    return stop;
}

/* at: '=' or ':'. Masks the value if the name before it is that of a secret; returns where to
 * continue. *empty: the word ends before the value. */
static char *cover_value(char *word, char *at, char *end, bool *empty)
{
    char *name_end = at, *name, *from = at + 1, *stop;

    while (name_end > word && is_one_of(name_end[-1], " \"'"))
        name_end--;
    for (name = name_end; name > word && is_name(name[-1]);)
        name--;
    if (from < end && is_one_of(*from, "=/"))
        return from; /* a comparison, a URL */
    while (from < end && *from == ' ')
        from++;
    if (from < end && is_one_of(*from, "\"'"))
        from++;
    if (!is_secret(name, (size_t)(name_end - name)))
        return at + 1;
    *empty = from == end;
    stop = value_end(word, name, from, end);
    cover(from, stop);
    return stop;
}

/* True: the word that follows is the secret of this one. */
static bool cover_word(char *word, char *end)
{
    bool empty = false, assigned = false;

    cover_urls(word, end);
    for (char *at = word; at < end;) {
        const bool between = *at == '=' || *at == ':';

        assigned |= between;
        at = between ? cover_value(word, at, end, &empty) : at + 1;
    }
    return empty ||
           (!assigned && end > word && *word == '-' && is_secret(word, (size_t)(end - word)));
}

static bool is_scheme(const char *word, const char *end)
{
    const struct name name = name_of(word, (size_t)(end - word));

    for (size_t i = 0; i < COUNT_OF(schemes); i++)
        if (name.length == length_of(schemes[i]) && ends_with(&name, schemes[i]))
            return true;
    return false;
}

/* An option, not a value: "--verbose", "-v". */
static bool is_option(const char *word, const char *end)
{
    return end - word >= 2 && word[0] == '-' && (word[1] == '-' || end - word == 2);
}

/* ---- lines ---- */

void secret_cover(char *text, size_t length, char between)
{
    char *const last = text + length;
    bool due = false;

    for (char *word = text; word < last;) {
        char *end = word;

        while (end < last && *end != between)
            end++;
        if (!due || is_option(word, end))
            due = cover_word(word, end);
        else if (end > word && !is_scheme(word, end)) {
            cover(word, end);
            due = false;
        }
        word = end + 1;
    }
}

size_t secret_mask(char *text, size_t length, char between)
{
    size_t used = 0, stars = 0;

    secret_cover(text, length, between);
    for (size_t i = 0; i < length; i++) {
        stars = text[i] == '*' ? stars + 1 : 0;
        if (stars <= STARS)
            text[used++] = text[i];
    }
    return used;
}

size_t secret_command(char *text, size_t length)
{
    while (length > 0 && text[length - 1] == 0)
        length--;
    length = secret_mask(text, length, 0);
    for (size_t i = 0; i < length; i++)
        text[i] = text[i] == 0 ? ' ' : text[i];
    text[length] = 0;
    return length;
}
