@_ZTIi = external constant ptr

declare void @throws(i32)
declare i32 @__gxx_personality_v0(...)
declare ptr @__cxa_begin_catch(ptr)
declare void @__cxa_end_catch()

define i32 @catches(i32 %n) uwtable personality ptr @__gxx_personality_v0 {
  invoke void @throws(i32 %n) to label %fine unwind label %pad
fine:
  ret i32 0
pad:
  %e = landingpad { ptr, i32 } catch ptr @_ZTIi
  %p = extractvalue { ptr, i32 } %e, 0
  %o = call ptr @__cxa_begin_catch(ptr %p)
  %v = load i32, ptr %o
  call void @__cxa_end_catch()
  %r = add i32 %v, 100
  ret i32 %r
}
