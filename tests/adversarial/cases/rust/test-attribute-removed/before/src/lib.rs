//! The game of life.

pub mod grid;
