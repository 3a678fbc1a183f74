cat > src/lib.rs <<'E'
//! A word game, see score.

#![warn(missing_docs)]

mod score;

pub use score::score;
E
