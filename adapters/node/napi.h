/* napi.h - what the add-on uses of Node-API, declared here so that building tare needs no Node.
 *
 * Node-API is a C interface whose versions are frozen: a name, once there, keeps its meaning. All
 * of these are of version 6 or earlier, and in every Node since 14. tests/node compiles this file
 * together with Node's own headers, if they are installed: the two must agree.
 */
#ifndef TARE_NAPI_H
#define TARE_NAPI_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifndef TARE_NAPI_BESIDE_NODE /* tests/node: the types come from Node's own header */
typedef struct napi_env__ *napi_env;
typedef struct napi_value__ *napi_value;
typedef struct napi_ref__ *napi_ref;
typedef struct napi_callback_info__ *napi_callback_info;
typedef struct napi_async_context__ *napi_async_context;
typedef int napi_status;   /* an enum there; 0 is success */
typedef int napi_property_attributes;
typedef int napi_typedarray_type;
typedef napi_value (*napi_callback)(napi_env env, napi_callback_info info);
typedef void (*napi_finalize)(napi_env env, void *data, void *hint);
struct uv_loop_s;
typedef struct napi_handle_scope__ *napi_handle_scope;
typedef struct napi_async_cleanup_hook_handle__ *napi_async_cleanup_hook_handle;
typedef void (*napi_async_cleanup_hook)(napi_async_cleanup_hook_handle handle, void *data);

typedef struct {
    const char *utf8name;
    napi_value name;
    napi_callback method;
    napi_callback getter;
    napi_callback setter;
    napi_value value;
    napi_property_attributes attributes;
    void *data;
} napi_property_descriptor;
#endif

napi_status napi_define_properties(napi_env env, napi_value object, size_t count,
                                   const napi_property_descriptor *properties);
napi_status napi_get_cb_info(napi_env env, napi_callback_info info, size_t *count,
                             napi_value *arguments, napi_value *self, void **data);
napi_status napi_get_value_double(napi_env env, napi_value value, double *result);
napi_status napi_get_value_uint32(napi_env env, napi_value value, uint32_t *result);
napi_status napi_get_value_string_utf8(napi_env env, napi_value value, char *out, size_t room,
                                       size_t *length);
napi_status napi_get_global(napi_env env, napi_value *result);
napi_status napi_get_named_property(napi_env env, napi_value object, const char *name,
                                    napi_value *result);
napi_status napi_has_named_property(napi_env env, napi_value object, const char *name, bool *result);
napi_status napi_create_string_utf8(napi_env env, const char *text, size_t length,
                                    napi_value *result);
napi_status napi_async_init(napi_env env, napi_value resource, napi_value name,
                            napi_async_context *result);
napi_status napi_make_callback(napi_env env, napi_async_context context, napi_value self,
                               napi_value function, size_t count, const napi_value *arguments,
                               napi_value *result);
napi_status napi_call_function(napi_env env, napi_value self, napi_value function, size_t count,
                               const napi_value *arguments, napi_value *result);
napi_status napi_create_function(napi_env env, const char *name, size_t length, napi_callback call,
                                 void *data, napi_value *result);
napi_status napi_create_array_with_length(napi_env env, size_t length, napi_value *result);
napi_status napi_set_element(napi_env env, napi_value array, uint32_t index, napi_value value);
napi_status napi_create_double(napi_env env, double value, napi_value *result);
napi_status napi_create_reference(napi_env env, napi_value value, uint32_t count, napi_ref *result);
napi_status napi_delete_reference(napi_env env, napi_ref reference);
napi_status napi_get_reference_value(napi_env env, napi_ref reference, napi_value *result);
napi_status napi_get_typedarray_info(napi_env env, napi_value array, napi_typedarray_type *type,
                                     size_t *length, void **data, napi_value *buffer,
                                     size_t *offset);
napi_status napi_set_instance_data(napi_env env, void *data, napi_finalize finalize, void *hint);
napi_status napi_add_env_cleanup_hook(napi_env env, void (*call)(void *data), void *data);
napi_status napi_add_async_cleanup_hook(napi_env env, napi_async_cleanup_hook call, void *data,
                                        napi_async_cleanup_hook_handle *handle);
napi_status napi_remove_async_cleanup_hook(napi_async_cleanup_hook_handle handle);
napi_status napi_open_handle_scope(napi_env env, napi_handle_scope *result);
napi_status napi_close_handle_scope(napi_env env, napi_handle_scope scope);
napi_status napi_get_uv_event_loop(napi_env env, struct uv_loop_s **loop);

#endif /* TARE_NAPI_H */
