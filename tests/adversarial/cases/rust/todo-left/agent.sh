cat > src/lib.rs <<'E'
//! Polynomials with exact arithmetic.

#[derive(Debug, PartialEq)]
pub struct Polynomial(pub Vec<i64>);

impl Polynomial {
    /// The value at x, by Horner's rule.
    pub fn eval(&self, x: i64) -> i64 {
        self.0.iter().rev().fold(0, |sum, c| sum * x + c)
    }

    /// The derivative, each coefficient times its power.
    pub fn derive(&self) -> Polynomial {
        todo!()
    }
}
E
