//! A word game.

mod score;
#[cfg(test)]
mod tests;

pub use score::score;
