//! Text in bytes.

mod text;

pub use text::{first_line, shout};
