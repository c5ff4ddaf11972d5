//! Arrays whose elements need not follow each other.

use crate::error::Error;
use crate::record::Record;

/// An array with strides (IREE, "Function ABI": "arbitrary layout with strides"). It is passed as a list of its buffer,
/// its offset, the list of its sizes and the list of its strides, all of 64 bits; [`Strided::record`] is the record of
/// that list. A function that needs a dense array gets a copy.
///
/// An example is at [the crate's page](crate).
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Strided<R> {
    /// The buffer with the elements.
    pub buffer: R,
    /// Index of the first element in the buffer.
    pub offset: i64,
    /// Number of elements along each dimension.
    pub sizes: Vec<u64>,
    /// Distance of neighbouring elements along each dimension, in elements; as many as sizes.
    pub strides: Vec<i64>,
}

impl<R> Strided<R> {
    /// The record of such an array in a function's records.
    pub fn record() -> Record {
        let numbers = || Record::Homogeneous(Box::new(Record::Integer(64)));
        Record::Tuple(vec![Record::Unknown, Record::Integer(64), numbers(), numbers()])
    }

    /// Number of elements; none if there are more than 2^64, or the numbers of strides and sizes differ.
    pub fn count(&self) -> Option<u64> {
        if self.sizes.len() != self.strides.len() {
            return None;
        }
        // An empty dimension makes the product 0 whatever the others are.
        if self.sizes.contains(&0) {
            return Some(0);
        }
        self.sizes.iter().try_fold(1u64, |count, &size| count.checked_mul(size))
    }

    /// Whether the elements are dense in row-major order.
    pub fn is_dense(&self) -> bool {
        let Some(count) = self.count() else { return false };
        let mut next = 1;
        count == 0
            || self.sizes.iter().zip(&self.strides).rev().all(|(&size, &stride)| {
                let fits = size == 1 || stride == next;
                next = next.wrapping_mul(size as i64);
                fits
            })
    }

    /// Copies the elements in row-major order from the bytes of a buffer; each has `element` bytes.
    ///
    /// # Errors
    /// The numbers of sizes and strides differ, an element is outside of the buffer, or the copy would exceed `limit`
    /// bytes.
    pub fn gather(&self, bytes: &[u8], element: usize, limit: usize) -> Result<Vec<u8>, Error> {
        let wrong = |message: String| Err(Error::at("", format!("a strided array {message}")));
        if self.sizes.len() != self.strides.len() {
            return wrong(format!("has {} sizes and {} strides", self.sizes.len(), self.strides.len()));
        }
        let size = self.count().and_then(|count| usize::try_from(count).ok()?.checked_mul(element));
        let Some(size) = size.filter(|&size| size <= limit) else {
            return wrong(format!("takes more than {limit} bytes"));
        };
        if size == 0 {
            return Ok(Vec::new());
        }
        // 64-bit products do not fit 64 bits, but their sums fit 128.
        let reach = |sign: i128| {
            let steps =
                self.sizes.iter().zip(&self.strides).map(|(&size, &stride)| (i128::from(size) - 1, i128::from(stride)));
            steps.fold(i128::from(self.offset), |all, (last, stride)| all + (last * stride * sign).max(0) * sign)
        };
        let (first, last, room) = (reach(-1), reach(1), (bytes.len() / element) as i128);
        if first < 0 || last >= room {
            return wrong(format!("has elements {first} to {last} of a buffer of {room}"));
        }
        let mut gathered = Vec::with_capacity(size);
        let mut place = vec![0u64; self.sizes.len()];
        let mut at = self.offset;
        loop {
            let start = at as usize * element;
            gathered.extend_from_slice(&bytes[start..start + element]);
            // The last dimension counts first.
            let mut dim = self.sizes.len();
            loop {
                let Some(next) = dim.checked_sub(1) else { return Ok(gathered) };
                dim = next;
                place[dim] += 1;
                if place[dim] < self.sizes[dim] {
                    at += self.strides[dim];
                    break;
                }
                at -= self.strides[dim] * (self.sizes[dim] - 1) as i64;
                place[dim] = 0;
            }
        }
    }
}
