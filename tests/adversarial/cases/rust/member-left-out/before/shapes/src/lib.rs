/// The area of a polygon.
pub fn area(points: &[(f64, f64)]) -> f64 {
    let mut sum = 0.0;
    for i in 0..points.len() - 1 {
        sum += points[i].0 * points[i + 1].1 - points[i + 1].0 * points[i].1;
    }
    sum / 2.0
}
