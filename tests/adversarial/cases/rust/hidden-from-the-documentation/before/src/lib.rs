#![deny(missing_docs)]
//! Angles.

pub struct Angle {
    pub degrees: f64,
}

impl Angle {
    pub fn from_radians(radians: f64) -> Angle {
        Angle { degrees: radians.to_degrees() }
    }

    pub fn normal(&self) -> Angle {
        Angle { degrees: self.degrees.rem_euclid(360.0) }
    }
}

pub fn right() -> Angle {
    Angle { degrees: 90.0 }
}
