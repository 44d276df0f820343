/* layout_scripts.h - the text of scripts that are in no file: PID.GENERATION.scripts, beside the
 * ledger.
 *
 * Runners of TypeScript compile in memory and name the source map at the end of the result. Without
 * that text no line of such a script is known. Records follow one another; the last one may be cut
 * off.
 */
#ifndef TARE_LEDGER_LAYOUT_SCRIPTS_H
#define TARE_LEDGER_LAYOUT_SCRIPTS_H

#include <stdint.h>

#define SCRIPTS_SUFFIX ".scripts"
#define SCRIPTS_MAGIC "TARESCR\n"           /* 8 bytes, before each record */
#define SCRIPTS_ONE_MAX (4u * 1024 * 1024)  /* bytes of one script */
#define SCRIPTS_ALL_MAX (16u * 1024 * 1024) /* bytes of the file */

struct script_text_record {
    char magic[8];
    uint32_t path_bytes; /* of the engine's name for it, which follows */
    uint32_t text_bytes; /* of its text, which follows the name */
};

#endif /* TARE_LEDGER_LAYOUT_SCRIPTS_H */
