declare void @fail()
declare void @note_cleanup()

define void @plain() uwtable {
  call void @fail()
  ret void
}

define void @cleanup() uwtable personality ptr @rust_eh_personality {
  invoke void @fail() to label %fine unwind label %pad
fine:
  ret void
pad:
  %e = landingpad { ptr, i32 } cleanup
  call void @note_cleanup()
  resume { ptr, i32 } %e
}
declare i32 @rust_eh_personality(...)
