/* dynsym.h - the names that an executable has for the loader: those it wants, those it offers. */
#ifndef TARE_CLI_DYNSYM_H
#define TARE_CLI_DYNSYM_H

#include <libelf.h>
#include <stdbool.h>

/* Is there a dynamic symbol of this name; `defined`: in the file itself, not only wanted by it? */
bool dynsym_has(Elf *elf, const char *name, bool defined);

#endif /* TARE_CLI_DYNSYM_H */
