/* embed.c - loads an interpreter late, ends and unloads it, and loads it again.
 *
 *     embed LIBPYTHON
 */
#include <dlfcn.h>
#include <stdio.h>
#include <unistd.h>

typedef void plain_fn(void);
typedef int run_fn(const char *);

int main(int argc, char **argv)
{
    for (int round = 0; round < 3 && argc > 1; round++) {
        void *library = dlopen(argv[1], RTLD_NOW);

        if (!library) {
            printf("%s\n", dlerror());
            return 1;
        }
        ((plain_fn *)dlsym(library, "Py_Initialize"))();
        ((run_fn *)dlsym(library, "PyRun_SimpleString"))("def make():\n"
                                                         "    return [bytes(500000)\n"
                                                         "            for _ in range(50)]\n"
                                                         "kept = make()\n");
        if (round == 2)
            _exit(0);
        ((plain_fn *)dlsym(library, "Py_Finalize"))();
        dlclose(library);
    }
    return 1;
}
