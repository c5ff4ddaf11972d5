//! Fences of functions whose callers do not wait (`coarse-fences`).

use crate::host::{Host, code};
use gusset_abi::CType;
use gusset_codegen::ir::{Type, Value};

use super::Hal;
use super::emit::{Code, build_function, signature};
use super::parts::Parts;
use gusset_compiler::{Error, Func};

impl Parts<'_, '_> {
    /// `status fence_await(context *, const reference *fence)`: waits until the fence is reached; a null fence is
    /// reached. The virtual machine has no stack frame to resume here, so the thread yields until then.
    pub fn fence_await(&mut self) -> Result<Func, Error> {
        if self.hal == Hal::Inline {
            return Err(Error::unsupported("", "`coarse-fences` needs a device: there are no fences without one"));
        }
        self.shared("fence_await", self.word(), &[CType::PTR; 2], |parts, func| {
            let call = parts.call()?;
            let query = parts.hal_function("fence.query", "0r_i")?;
            let rest = parts.library("sched_yield", signature(CType::I32, &[]))?;
            build_function(parts.object, func, |b, [ctx, fence]| {
                return_if_null(b, parts.host, fence);
                let (again, pending) = (b.block(), b.block());
                b.jump(again, &[]);
                b.switch_to(again);
                let state = b.load(Type::I32, query.checked(b, (call, ctx), &[fence]), 0);
                b.when(b.is(state, 0), || b.ret_code(0));
                // Two codes mean that the fence is not reached; any other is a failure.
                for waits in [code::UNAVAILABLE, code::DEFERRED] {
                    let (waits, next) = (b.is(state, waits.into()), b.block());
                    b.br(waits, pending, next);
                    b.switch_to(next);
                }
                b.ret(b.to_word(state));
                b.switch_to(pending);
                b.call(rest, &[]);
                b.jump(again, &[]);
            })
        })
    }

    /// `status fence_new(context *, reference *out)`: makes an unreached fence of the first device.
    pub fn fence_new(&mut self) -> Result<Func, Error> {
        self.shared("fence_new", self.word(), &[CType::PTR; 2], |parts, func| {
            let (call, release, retain) = (parts.call()?, parts.release()?, parts.retain()?);
            let device = parts.hal_function("devices.get", "0i_r")?;
            let create = parts.hal_function("fence.create", "0rI_r")?;
            build_function(parts.object, func, |b, [ctx, out]| {
                let device_ref = device.checked(b, (call, ctx), &[b.iconst(Type::I32, 0)]);
                let (status, fence) = create.call(b, (call, ctx), &[device_ref, b.iconst(Type::I64, 0)]);
                b.call(release, &[device_ref]);
                b.check(status);
                b.call(retain, &[fence, out]);
                b.call(release, &[fence]);
            })
        })
    }

    /// `status fence_signal(context *, const reference *fence)`: signals that the results are available; does nothing
    /// for a null fence.
    pub fn fence_signal(&mut self) -> Result<Func, Error> {
        self.shared("fence_signal", self.word(), &[CType::PTR; 2], |parts, func| {
            let call = parts.call()?;
            let signal = parts.hal_function("fence.signal", "0r_v")?;
            build_function(parts.object, func, |b, [ctx, fence]| {
                return_if_null(b, parts.host, fence);
                b.ret(signal.call(b, (call, ctx), &[fence]).0);
            })
        })
    }
}

/// Returns success if a fence is null.
fn return_if_null(b: &Code<'_, '_, '_>, host: Host, fence: Value) {
    b.when(b.is(b.load_word(fence, host.reference.object), 0), || b.ret_code(0));
}
