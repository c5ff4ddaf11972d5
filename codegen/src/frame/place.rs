//! Places in the frame, each at a fixed distance from one of its ends.

/// The end of the frame that a place keeps its distance from while the frame's size is not known.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) enum End {
    /// The CFA.
    #[default]
    Cfa,
    /// Above the outgoing arguments.
    Bottom,
    /// The stack pointer of a funclet after its own prologue.
    Stack,
}

/// A place in the frame.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct FramePlace {
    pub(crate) end: End,
    pub(crate) offset: i32,
    /// Bytes.
    pub size: u32,
}

impl FramePlace {
    /// A place of which only the size is known yet.
    pub fn of_size(size: u32) -> FramePlace {
        FramePlace { size, ..FramePlace::default() }
    }

    /// Bytes `offset` and following of the incoming stack arguments.
    pub fn incoming(offset: i32, size: u32) -> FramePlace {
        FramePlace { end: End::Cfa, offset, size }
    }
}
