
; ---- 32-bit x86: functions whose static chain is in eax, as `fastcall` and `thiscall` have it ----

define ptr @gusset_trampoline_init_eax(ptr %scratch, ptr %callee, ptr %chain) {
  %made = call ptr @init(i32 1, ptr %scratch, ptr %callee, ptr %chain)
  ret ptr %made
}

define ptr @gusset_host_trampoline_init_eax__link_with_libgusset_runtime(ptr %host, ptr %callee, ptr %chain) {
  %made = call ptr @init_for_host(i32 1, ptr %host, ptr %callee, ptr %chain)
  ret ptr %made
}

define internal x86_fastcallcc void @dead_eax(ptr nest %record) {
  call void @called_dead(ptr %record)
  unreachable
}
