@_ZTIi = external constant ptr

declare ptr @__cxa_allocate_exception(i64)
declare void @__cxa_throw(ptr, ptr, ptr)

define void @throws(i32 %n) uwtable {
  %e = call ptr @__cxa_allocate_exception(i64 4)
  store i32 %n, ptr %e
  call void @__cxa_throw(ptr %e, ptr @_ZTIi, ptr null)
  unreachable
}
