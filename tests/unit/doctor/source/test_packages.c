/* Which package a file belongs to, from what pip and npm leave behind. */
#include <stdio.h>
#include <sys/stat.h>

#include "build_ledger.h"
#include "doctor/source/packages.h"
#include "ledger/model.h"
#include "test.h"

/* Writes a file below the test's directory, with the folders on its way. */
static void put(const char *name, const char *text)
{
    char path[8192];
    FILE *out;

    (void)snprintf(path, sizeof(path), "%s/%s", test_directory(), name);
    for (char *at = path + strlen(test_directory()) + 1; (at = strchr(at, '/')) != NULL; at++) {
        *at = 0;
        (void)mkdir(path, 0700);
        *at = '/';
    }
    out = fopen(path, "w");
    CHECK(out != NULL && fputs(text, out) >= 0);
    CHECK(fclose(out) == 0);
}

static const char *in(const char *name)
{
    static char paths[16][8192];
    static unsigned next;
    char *path = paths[next++ % 16];

    (void)snprintf(path, sizeof(paths[0]), "%s/%s", test_directory(), name);
    return path;
}

static void record(struct model **own, struct model_module *modules, size_t count,
                   struct model_code *code, size_t code_count)
{
    struct model process = {
        .modules = modules, .module_count = count, .code = code, .code_count = code_count};
    struct model *processes[] = {&process};
    const struct run run = {.processes = processes, .process_count = 1};
    static unsigned runs;
    struct ledger ledger;
    struct why why;
    char name[32];

    (void)snprintf(name, sizeof(name), "%u.0.tare", ++runs);
    build_ledger(&ledger, name, ROLE_RUN);
    packages_record(&run, &ledger);
    CHECK_EQ(model_load(own, build_view(&ledger), (size_t)ledger.size, &why), 0);
    ledger_close(&ledger);
}

static void check(const struct model *own, const char *file, const char *name, const char *version)
{
    const struct model_package *package = packages_find(own, in(file));

    if (!name) {
        CHECK(package == NULL);
        return;
    }
    CHECK(package != NULL);
    CHECK_TEXT(package->name, name);
    CHECK_TEXT(package->version, version);
}

TEST(packages_are_found_by_what_pip_has_recorded)
{
    struct model_module modules[4];
    struct model_code code[2];
    struct model *own;

    put("site-packages/opencv_python-4.7.dist-info/METADATA",
        "Name: opencv-python\r\nVersion: 4.7.0\r\n\r\nName: no");
    put("site-packages/opencv_python-4.7.dist-info/RECORD",
        "cv2/cv2.so,,\ncv2.libs/libz.so,,\n../../bin/x,,\n");
    put("site-packages/cublas-1.dist-info/METADATA", "Name: cublas\nVersion: 1.0\n");
    put("site-packages/cublas-1.dist-info/RECORD",
        "nvidia/__init__.py,,\nnvidia/cublas/lib/libcublas.so,,\n");
    put("site-packages/cufft-2.dist-info/METADATA", "Name: cufft\nVersion: 2.0\n");
    put("site-packages/cufft-2.dist-info/RECORD",
        "nvidia/__init__.py,,\nnvidia/cufft/lib/libcufft.so,,\n");
    put("site-packages/old.egg-info/PKG-INFO", "Metadata-Version: 1.1\nName: old\nVersion: 0.9\n");
    put("site-packages/old.egg-info/top_level.txt", "old\n_old\n");
    put("site-packages/bad.dist-info/METADATA", "Name: bad\n"); /* no version */
    modules[0] = (struct model_module){.path = in("site-packages/cv2/cv2.so")};
    modules[1] = (struct model_module){.path = in("site-packages/nvidia/cufft/lib/libcufft.so")};
    modules[2] = (struct model_module){.path = in("site-packages/cv2.libs/libz.so")};
    modules[3] = (struct model_module){.path = "/usr/lib/libz.so.1"};
    code[0] = (struct model_code){.file = in("site-packages/old/a.py")};
    code[1] = (struct model_code){.file = in("site-packages/unknown/a.py")};
    record(&own, modules, 4, code, 2);
    check(own, "site-packages/cv2/cv2.so", "opencv-python", "4.7.0");
    check(own, "site-packages/cv2.libs/libz.so", "opencv-python", "4.7.0");
    check(own, "site-packages/nvidia/cufft/lib/libcufft.so", "cufft", "2.0");
    check(own, "site-packages/nvidia/__init__.py", NULL, NULL);
    check(own, "site-packages/old/a.py", "old", "0.9");
    check(own, "site-packages/older/a.py", NULL, NULL);
    check(own, "site-packages/unknown/a.py", NULL, NULL);
    CHECK(packages_find(NULL, "/x") == NULL);
    model_free(own);
}

TEST(packages_of_node_have_a_description)
{
    struct model_module modules[2];
    struct model *own;

    put("app/node_modules/sharp/package.json",
        "{\"scripts\": {\"version\": \"no\"}, \"keywords\": [\"name\", \"x\"],\n"
        " \"name\": \"sharp\", \"version\" : \"0.33.2\"}");
    put("app/node_modules/@img/lib/package.json", "{\"name\":\"@img/lib\",\"version\":\"1.2.3\"}");
    modules[0] = (struct model_module){.path = in("app/node_modules/sharp/build/Release/sharp.node")};
    modules[1] = (struct model_module){.path = in("app/node_modules/@img/lib/lib/libvips.so")};
    record(&own, modules, 2, NULL, 0);
    check(own, "app/node_modules/sharp/build/Release/sharp.node", "sharp", "0.33.2");
    check(own, "app/node_modules/@img/lib/lib/libvips.so", "@img/lib", "1.2.3");
    model_free(own);
}

/* A description may be anything: cut off, or endless strings. */
TEST(packages_of_node_survive_every_bad_description)
{
    static const char *const bad[] = {"",
                                      "{",
                                      "{\"name\"",
                                      "{\"name\":",
                                      "{\"name\":\"x\"",
                                      "{\"name\":\"x\\",
                                      "\"name\"\"",
                                      "]]]]{\"version\":\"1\"}",
                                      "{\"name\":{\"name\":\"x\"},\"version\":\"1\"}"};
    struct model_module module = {.path = NULL};

    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        struct model *own;

        put("node_modules/bad/package.json", bad[i]);
        module.path = in("node_modules/bad/x.node");
        record(&own, &module, 1, NULL, 0);
        CHECK_EQ(own->package_count, 0);
        model_free(own);
    }
}
