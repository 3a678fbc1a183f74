//! Polynomials.

#[derive(Debug, PartialEq)]
pub struct Polynomial(pub Vec<i64>);
