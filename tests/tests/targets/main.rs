//! Code for each machine: single operations, vectors, atomics, extreme functions, features of processors.

mod aarch64_features;
mod alignment;
mod arm_objects;
mod arm_system;
mod atomic_ops;
mod atomics;
mod exclusive;
mod far;
mod float_environment;
mod interrupts;
mod interrupts_arm;
mod mixed;
mod narrow_floats;
mod neon;
mod new_operations;
mod none_wrong;
mod shapes;
mod vectors;
mod wide_integers;
mod without_floats;
mod x86_ops;
mod x87;
