/* names.h - shared memory that this process has made under a name.
 *
 * Such memory stays when it is unmapped: until its name is removed (shm_unlink, shmctl with IPC_RMID), by
 * whichever process. What another process has made is that process's to remove, and is not followed here.
 *
 * An object is a number from 1 on; 0 means no object.
 */
#ifndef TARE_PROBE_NAMES_H
#define TARE_PROBE_NAMES_H

#include <stdbool.h>
#include <stdint.h>

/* shm_open has opened this file and may have made it: a new one has no length yet. */
void names_opened(int fd, const char *name);

uint32_t names_of_file(int fd);                /* the object that a mapping of this file shows */
uint32_t names_of_segment(int id);             /* the same of shmat; makes the object when it is ours */
uint32_t names_find(const char *name);         /* `name`: as the program passes it to shm_unlink */
void names_mapped(uint32_t object, int count); /* `count` more mappings of it */
bool names_is_mapped(uint32_t object);
bool names_remains(uint32_t object); /* its name is still there, and means the same memory */
void names_forget(uint32_t object);  /* its name is gone */
void names_forked(void);              /* a new process has made none */

#endif /* TARE_PROBE_NAMES_H */
