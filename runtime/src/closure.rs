//! Rust closures as C function pointers.

use crate::arch::{self, Arguments};
use crate::error::Error;
use crate::trampoline::Trampoline;
use alloc::boxed::Box;
use core::ffi::c_void;
use core::fmt;
use core::marker::PhantomData;

/// A closure that C code can call through an ordinary function pointer while this value lives.
///
/// `S` is the pointer's type, `unsafe extern "C" fn(A, B, …) -> R` with up to eight arguments: integers of up to 64
/// bits, `f32`, `f64` and raw pointers; the result is one of these or `()`. C's variadic functions, structs by value
/// and `long double` are not supported.
///
/// ```
/// use gusset_runtime::Closure;
/// use std::ffi::c_int;
///
/// let offset = 40;
/// let add = Closure::<unsafe extern "C" fn(c_int) -> c_int>::new(|x: c_int| x + offset)?;
/// let pointer = add.pointer();
/// // SAFETY: the closure lives, and may be called on this thread.
/// assert_eq!(unsafe { pointer(2) }, 42);
/// # Ok::<(), gusset_runtime::Error>(())
/// ```
///
/// A panic of the closure ends the program, as in every `extern "C"` function.
pub struct Closure<'f, S> {
    // Before the context, so that calls that come too late are reported.
    _trampoline: Trampoline,
    pointer: S,
    _context: Context,
    closure: PhantomData<&'f ()>,
}

/// Owns a boxed closure whose type only `drop` knows.
struct Context {
    at: *mut c_void,
    drop: unsafe fn(*mut c_void),
}

impl Drop for Context {
    fn drop(&mut self) {
        // SAFETY: made from a box of that type, and dropped once.
        unsafe { (self.drop)(self.at) }
    }
}

impl<'f, S> Closure<'f, S> {
    /// A function pointer of type `S` for `closure`.
    ///
    /// # Errors
    /// The system does not provide memory for a trampoline.
    pub fn new<F: 'f>(closure: F) -> Result<Closure<'f, S>, Error>
    where
        S: Function<F>,
    {
        let at: *mut F = Box::into_raw(Box::new(closure));
        // SAFETY: the pointer in the context, below.
        let context = Context { at: at.cast(), drop: |at| drop(unsafe { Box::<F>::from_raw(at.cast()) }) };
        let adapter: unsafe extern "C" fn() = arch::adapter::<S, F>;
        let trampoline = Trampoline::new(adapter as *const (), at.cast_const().cast())?;
        // SAFETY: the trampoline leads to an adapter for `S`. Callers must ensure that it lives.
        let pointer = unsafe { S::from_code(trampoline.code()) };
        Ok(Closure { _trampoline: trampoline, pointer, _context: context, closure: PhantomData })
    }

    /// The function pointer.
    ///
    /// Calling it is safe while this value lives, on the thread that it is on; on other threads too, at any time, if
    /// the closure is `Sync`. A later call ends the program with a message, unless the trampoline is in use again.
    pub fn pointer(&self) -> S
    where
        S: Copy,
    {
        self.pointer
    }
}

impl<S> fmt::Debug for Closure<'_, S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Closure").field(&self._trampoline.code()).finish()
    }
}

/// Called by [`adapter`](arch::adapter).
///
/// # Safety
/// `frame` is the adapter's frame of a call with the arguments of `S`; `context` is a closure that lives.
pub(crate) unsafe extern "C" fn dispatch<S: Function<F>, F>(frame: *const c_void, context: *const F) -> S::Result {
    // SAFETY: the caller's word.
    unsafe { S::call(&*context, Taken(Arguments::new(frame))) }
}

/// The arguments of a call.
pub struct Taken(Arguments);

mod sealed {
    pub trait Sealed {}
}

/// Types of function pointers for closures of type `F`, see [`Closure`].
///
/// # Safety
/// Implemented here alone.
pub unsafe trait Function<F>: Sized + sealed::Sealed {
    /// The function's result.
    type Result: Outcome;

    /// # Safety
    /// The code of a function of this type.
    #[doc(hidden)]
    unsafe fn from_code(code: *const ()) -> Self;

    /// # Safety
    /// These are the arguments of a call of a pointer of this type.
    #[doc(hidden)]
    unsafe fn call(closure: &F, arguments: Taken) -> Self::Result;
}

/// Types that a [`Function`] takes.
///
/// # Safety
/// Implemented here alone.
pub unsafe trait Argument: sealed::Sealed + Sized {
    /// # Safety
    /// The next argument has this type.
    #[doc(hidden)]
    unsafe fn take(arguments: &mut Taken) -> Self;
}

/// Types that a [`Function`] returns.
pub trait Outcome: sealed::Sealed {}

impl sealed::Sealed for () {}
impl Outcome for () {}

macro_rules! arguments {
    ($($ty:ty: $method:ident,)*) => { $(
        impl sealed::Sealed for $ty {}
        impl Outcome for $ty {}
        unsafe impl Argument for $ty {
            unsafe fn take(arguments: &mut Taken) -> $ty {
                // SAFETY: the caller guarantees it. Bits above a narrow integer's width mean nothing.
                unsafe { arguments.0.$method() as $ty }
            }
        }
    )* };
}

arguments! {
    i8: word, i16: word, i32: word, isize: word, u8: word, u16: word, u32: word, usize: word,
    i64: long, u64: long, f32: single, f64: double,
}

macro_rules! pointers {
    ($($pointer:ty)*) => { $(
        impl<T> sealed::Sealed for $pointer {}
        impl<T> Outcome for $pointer {}
        unsafe impl<T> Argument for $pointer {
            unsafe fn take(arguments: &mut Taken) -> $pointer {
                // SAFETY: the caller's word.
                unsafe { arguments.0.word() as usize as $pointer }
            }
        }
    )* };
}

pointers! { *const T *mut T }

macro_rules! functions {
    ($($name:ident)*) => {
        impl<R, $($name),*> sealed::Sealed for unsafe extern "C" fn($($name),*) -> R {}
        unsafe impl<F, R, $($name),*> Function<F> for unsafe extern "C" fn($($name),*) -> R
        where
            F: Fn($($name),*) -> R,
            R: Outcome,
            $($name: Argument,)*
        {
            type Result = R;

            unsafe fn from_code(code: *const ()) -> Self {
                // SAFETY: the caller's word.
                unsafe { core::mem::transmute::<*const (), Self>(code) }
            }

            #[allow(non_snake_case, unused_mut, unused_variables)]
            unsafe fn call(closure: &F, mut arguments: Taken) -> R {
                // SAFETY: the caller guarantees it; taken in order.
                $(let $name = unsafe { $name::take(&mut arguments) };)*
                closure($($name),*)
            }
        }
    };
}

functions! {}
functions! { A }
functions! { A B }
functions! { A B C }
functions! { A B C D }
functions! { A B C D E }
functions! { A B C D E G }
functions! { A B C D E G H }
functions! { A B C D E G H I }
