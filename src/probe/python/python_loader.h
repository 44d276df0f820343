/* python_loader.h - Python source that loads the adapter when sitecustomize was bypassed (-I,
 * -E, -S). */
#ifndef TARE_PROBE_PYTHON_LOADER_H
#define TARE_PROBE_PYTHON_LOADER_H

/* It runs in a namespace of its own, which has __file__. */
static const char loader[] = "with open(__file__, 'rb') as file:\n"
                             "    exec(compile(file.read(), __file__, 'exec'))\n"
                             "_hide(__file__.rpartition('/')[0])\n"
                             "_load_adapter(__file__.rpartition('/inject/')[0] + '/tare')\n";

#endif /* TARE_PROBE_PYTHON_LOADER_H */
