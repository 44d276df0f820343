/* module.c - an extension module of Python that calls a leaking library. */
#include <Python.h>

#include <stdlib.h>

#include "keeping.h"

/* What is read is a copy that the library forgets. */
static PyObject *read_text(PyObject *self, PyObject *arguments)
{
    const char *text;
    Py_ssize_t size;

    (void)self;
    if (!PyArg_ParseTuple(arguments, "sn", &text, &size))
        return NULL;
    return PyLong_FromSize_t(keeping_read(text, (size_t)size));
}

/* The copy is released again. */
static PyObject *check_text(PyObject *self, PyObject *arguments)
{
    const char *text;
    Py_ssize_t size;

    (void)self;
    if (!PyArg_ParseTuple(arguments, "sn", &text, &size))
        return NULL;
    free(keeping_make(text, (size_t)size));
    Py_RETURN_NONE;
}

/* A reference is lost: what Python's own allocator made. */
static PyObject *lose_list(PyObject *self, PyObject *arguments)
{
    Py_ssize_t size;

    (void)self;
    if (!PyArg_ParseTuple(arguments, "n", &size))
        return NULL;
    (void)PyByteArray_FromStringAndSize(NULL, size);
    Py_RETURN_NONE;
}

/* The caller gets what Python's allocator made. */
static PyObject *hold_text(PyObject *self, PyObject *size)
{
    PyObject *result = PyByteArray_FromStringAndSize(NULL, PyLong_AsSsize_t(size));

    (void)self;
    __asm__ volatile("" : : "r"(result) : "memory"); /* as in call() */
    return result;
}

/* Calls a function of Python: what that allocates is not this module's. */
static PyObject *call(PyObject *self, PyObject *function)
{
    PyObject *result = PyObject_CallFunctionObjArgs(function, NULL);

    (void)self;
    __asm__ volatile("" : : "r"(result) : "memory"); /* not a jump: this function stays on the stack */
    return result;
}

static PyMethodDef methods[] = {{"read_text", read_text, METH_VARARGS, NULL},
                                {"check_text", check_text, METH_VARARGS, NULL},
                                {"lose_list", lose_list, METH_VARARGS, NULL},
                                {"hold_text", hold_text, METH_O, NULL},
                                {"call", call, METH_O, NULL},
                                {NULL, NULL, 0, NULL}};

static struct PyModuleDef definition = {
    PyModuleDef_HEAD_INIT, "leaky._leaky", NULL, -1, methods, NULL, NULL, NULL, NULL};

PyMODINIT_FUNC PyInit__leaky(void)
{
    return PyModule_Create(&definition);
}
