//! Fences of functions whose callers do not wait (`coarse-fences`).

use crate::host::{Host, code};
use gusset_abi::CType;
use gusset_codegen::ir::{Type, Value};

use super::Hal;
use super::emit::{Steps, signature};
use super::parts::{Parts, call_host, host_checked};
use gusset_compiler::{Body, Error, Func};

impl Parts<'_, '_> {
    /// `status fence_await(context *, const reference *fence)`: waits until the fence is reached; a null fence is
    /// reached. The virtual machine has no stack frame to resume here, so the thread yields until then.
    pub fn fence_await(&mut self) -> Result<Func, Error> {
        if self.hal == Hal::Inline {
            return Err(Error::ir("", "`coarse-fences` needs a device: there are no fences without one"));
        }
        self.shared("fence_await", self.word(), &[CType::PTR; 2], |parts, func| {
            let call = parts.call()?;
            let query = parts.hal_function("fence.query", "0r_i")?;
            let rest = parts.library("sched_yield", signature(CType::I32, &[]))?;
            let host = parts.host;
            parts.object.define(func, |b| {
                let (ctx, fence) = fence_of(b, host);
                let (again, pending) = (b.create_block(), b.create_block());
                b.jump(again, &[]);
                b.switch_to(again);
                let results = host_checked(b, call, ctx, &query, &[fence]);
                let state = b.load(Type::I32, results, 0);
                let reached = b.is(state, 0);
                b.when(reached, Steps::ok);
                // Two codes mean that the fence is not reached; any other is a failure.
                for waits in [code::UNAVAILABLE, code::DEFERRED] {
                    let waits = b.is(state, waits.into());
                    let next = b.create_block();
                    b.br(waits, pending, &[], next, &[]);
                    b.switch_to(next);
                }
                let state = b.to_word(state);
                b.ret(Some(state));
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
            parts.object.define(func, |b| {
                let (ctx, out) = (b.param(0), b.param(1));
                let first = b.iconst(Type::I32, 0);
                let device_ref = host_checked(b, call, ctx, &device, &[first]);
                let flags = b.iconst(Type::I64, 0);
                let (status, fence) = call_host(b, call, ctx, &create, &[device_ref, flags]);
                b.call(release, &[device_ref]);
                b.check(status);
                b.call(retain, &[fence, out]);
                b.call(release, &[fence]);
                b.ok();
            })
        })
    }

    /// `status fence_signal(context *, const reference *fence)`: signals that the results are available; does nothing
    /// for a null fence.
    pub fn fence_signal(&mut self) -> Result<Func, Error> {
        self.shared("fence_signal", self.word(), &[CType::PTR; 2], |parts, func| {
            let call = parts.call()?;
            let signal = parts.hal_function("fence.signal", "0r_v")?;
            let host = parts.host;
            parts.object.define(func, |b| {
                let (ctx, fence) = fence_of(b, host);
                let (status, _) = call_host(b, call, ctx, &signal, &[fence]);
                b.ret(Some(status));
            })
        })
    }
}

/// Loads the context and the fence, the parameters of a function here; the function returns at once if the fence is
/// null.
fn fence_of(b: &mut Body<'_, '_>, host: Host) -> (Value, Value) {
    let (ctx, fence) = (b.param(0), b.param(1));
    let object = b.load_word(fence, host.reference.object);
    let none = b.is(object, 0);
    b.when(none, Steps::ok);
    (ctx, fence)
}
