/* native_words.h - native code in words: which library made the memory. */
#ifndef TARE_DOCTOR_NATIVE_WORDS_H
#define TARE_DOCTOR_NATIVE_WORDS_H

#include "doctor/facts/diagnosis.h"

/* "h5p.so" of h5p.cpython-311-x86_64-linux-gnu.so, "libhdf5.so" of libhdf5-1a2b3c4d.so.310.2.0; in the
 * arena. */
const char *native_words_module(struct arena *arena, const char *module);

/* "H5Pget_fill_value", "+0x1f30 (near PyInit_h5p)"; without the parameters of C++. In the arena. */
const char *native_words_function(struct arena *arena, const struct native_place *place);

/* "h5py 3.16.0: h5p.so → libhdf5.so H5Pget_fill_value": the modules from the one that the language
 * called inwards, of many the inner ones, and the function at which the last of them was entered. NULL:
 * there is no native code. */
const char *native_words(struct arena *arena, const struct finding *finding);

#endif /* TARE_DOCTOR_NATIVE_WORDS_H */
