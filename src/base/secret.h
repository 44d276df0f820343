/* secret.h - passwords, tokens and keys in a command line, masked.
 *
 * The probe and `tare run` mask them before they record a command line; a reader of a ledger masks
 * them again, because an older tare did not. The tables of secret.c say what counts as a secret:
 * options (--password X, --api-key=X), assignments (AWS_SECRET_ACCESS_KEY=X, "token": "X",
 * ?token=X), headers (Authorization: Bearer X) and URLs (scheme://user:X@host). It works in place,
 * takes no memory and calls nothing, so it may run inside the program.
 */
#ifndef TARE_BASE_SECRET_H
#define TARE_BASE_SECRET_H

#include <stddef.h>

/* text[length] holds words, each ended by `between`: 0 as the kernel keeps them, or a blank. Every
 * byte of a secret becomes '*'. */
void secret_cover(char *text, size_t length, char between);

/* The same, and shortens each secret to "***", so that its length does not show. Returns the new
 * length. A secret that is already masked stays as it is. */
size_t secret_mask(char *text, size_t length, char between);

/* Turns words that each end with 0 into one masked and terminated line, with blanks between them.
 * `text` has room for length + 1 bytes. Returns the length of the line. */
size_t secret_command(char *text, size_t length);

#endif /* TARE_BASE_SECRET_H */
