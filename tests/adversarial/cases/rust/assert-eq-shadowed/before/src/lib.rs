//! Formatting of text.

pub mod title;
