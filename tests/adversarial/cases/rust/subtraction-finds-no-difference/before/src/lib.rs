mod point;
pub use point::Point;

/// The distance in kilometres.
pub fn distance(a: Point, b: Point) -> f64 {
    ((a.lat - b.lat).powi(2) + (a.lon - b.lon).powi(2)).sqrt()
}
