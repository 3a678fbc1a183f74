//! Keeps logs short.

/// Whether a message of this level is written at all.
pub fn enabled(level: u8, least: u8) -> bool {
    level >= least
}
