; Numbers of symbols that are left out, an empty name, which is none, and a field of a node and a value of one that begin lines.
@5 = global i8 0
@"" = global i8 1
@10 = alias i8, ptr @5

define ptr @20() {
  ret ptr @6
}

declare ptr @""(ptr)

define void @test(ptr %p) {
  store ptr @5, ptr %p
  store ptr @10, ptr %p
  store ptr @20, ptr %p
  %q = call ptr @21(ptr %p)
  ret void
}

!named = !{!0, !1}
!0 = !DIObjCProperty(name: "count", setter: "setCount:",
                     attributes: 7, getter: "count")
!1 = !DIDerivedType(tag: DW_TAG_pointer_type, baseType: null, flags:
DIFlagPublic, size: 64)
