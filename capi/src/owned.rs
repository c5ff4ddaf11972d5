//! Values that C owns.

/// Frees a value that C holds, unless it is null.
///
/// # Safety
/// The pointer is null, or was given by this library and not freed. It is not used any more.
pub(crate) unsafe fn free<T>(pointer: *mut T) {
    if !pointer.is_null() {
        // SAFETY: the caller's word, and all values are boxes.
        drop(unsafe { Box::from_raw(pointer) });
    }
}
