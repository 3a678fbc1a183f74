//! Sorts names as people do.

mod order;

pub use order::compare;

/// Sorts names as people do.
pub fn sort(names: &mut [&str]) {
    names.sort_by(|a, b| compare(a, b));
}

#[cfg(test)]
mod tests;
