//! Checksums.

mod sum;

pub use sum::adler32;
