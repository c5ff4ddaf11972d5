"""Runs a function of LLVM IR from Python, by ctypes: `python3 memory.py PATH/libgusset.so`."""

import ctypes
import json
import sys

gusset = ctypes.CDLL(sys.argv[1])
for function in ("gusset_target_host", "gusset_memory_new", "gusset_memory_add", "gusset_module_address", "gusset_classify"):
    getattr(gusset, function).restype = ctypes.c_void_p
for function in ("gusset_version", "gusset_error_report", "gusset_buffer_data"):
    getattr(gusset, function).restype = ctypes.c_char_p


class Error(Exception):
    pass


def call(function, *arguments):
    """Calls a function that can fail."""
    error = ctypes.c_void_p()
    value = function(*arguments, ctypes.byref(error))
    if value is None:
        report = gusset.gusset_error_report(error).decode()
        gusset.gusset_error_free(error)
        raise Error(report)
    return ctypes.c_void_p(value)


text = b"""
define double @mean(ptr %numbers, i64 %count) {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %sum = phi double [ 0.0, %entry ], [ %new, %loop ]
  %at = getelementptr double, ptr %numbers, i64 %i
  %x = load double, ptr %at
  %new = fadd double %sum, %x
  %next = add i64 %i, 1
  %more = icmp ult i64 %next, %count
  br i1 %more, label %loop, label %done
done:
  %n = uitofp i64 %count to double
  %mean = fdiv double %new, %n
  ret double %mean
}
"""
target = call(gusset.gusset_target_host)
memory = ctypes.c_void_p(gusset.gusset_memory_new())
module = call(gusset.gusset_memory_add, memory, target, None, b"mean.ll", text, ctypes.c_size_t(len(text)))
mean = ctypes.CFUNCTYPE(ctypes.c_double, ctypes.POINTER(ctypes.c_double), ctypes.c_int64)(
    gusset.gusset_module_address(module, b"mean")
)
numbers = [1.5, 2.5, 8.0]
print("mean:", mean((ctypes.c_double * len(numbers))(*numbers), len(numbers)))
buffer = call(gusset.gusset_classify, b"i686-linux-gnu", 0, b"int f(long long);")
print("json:", isinstance(json.loads(gusset.gusset_buffer_data(buffer)), (dict, list)))
try:
    call(gusset.gusset_memory_add, memory, target, None, b"wrong.ll", b"nothing", ctypes.c_size_t(7))
except Error as error:
    print("error:", "wrong.ll:1:1" in str(error))
gusset.gusset_buffer_free(buffer)
gusset.gusset_module_free(module)
gusset.gusset_memory_free(memory)
gusset.gusset_target_free(target)
