//! Typed `u32` indices, and enumerations whose members have names.

/// Declares a typed index: a `u32` newtype that indexes one kind of table.
#[macro_export]
macro_rules! entity {
    ($(#[$doc:meta])* $name:ident, $prefix:literal) => {
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
        #[repr(transparent)]
        pub struct $name(pub u32);

        impl $name {
            /// The position in the table this index belongs to.
            #[inline]
            pub const fn index(self) -> usize {
                self.0 as usize
            }
            /// The index for position `i`; tables never have more than `u32::MAX` entries.
            #[inline]
            pub const fn new(i: usize) -> Self {
                debug_assert!(i < u32::MAX as usize);
                Self(i as u32)
            }
        }

        impl core::fmt::Display for $name {
            fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
                write!(f, concat!($prefix, "{}"), self.0)
            }
        }

        impl core::fmt::Debug for $name {
            fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
                write!(f, concat!($prefix, "{}"), self.0)
            }
        }
    };
}

/// Declares an enumeration whose members are words of the text form.
#[macro_export]
macro_rules! words {
    ($(#[$doc:meta])* $name:ident { $($(#[$vdoc:meta])* $v:ident $text:literal),* $(,)? }) => {
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Hash)]
        #[repr(u8)]
        pub enum $name { $($(#[$vdoc])* $v,)* }
        impl $name {
            const ALL: &'static [$name] = &[$($name::$v,)*];
            const TEXT: &'static [&'static str] = &[$($text,)*];
            /// From its number.
            #[inline]
            pub fn from_u8(n: u8) -> Option<$name> {
                Self::ALL.get(n as usize).copied()
            }
            /// Name in the text form.
            pub fn name(self) -> &'static str {
                Self::TEXT[self as usize]
            }
            /// The member with a name in the text form.
            pub fn from_name(name: &str) -> Option<$name> {
                Self::TEXT.iter().position(|&t| t == name).map(|i| Self::ALL[i])
            }
        }
    };
}
