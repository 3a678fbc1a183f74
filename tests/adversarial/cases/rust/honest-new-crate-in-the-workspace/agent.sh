mkdir -p geom/src
cat > geom/Cargo.toml <<'E'
[package]
name = "geom"
version = "0.1.0"
edition = "2021"
E
cat > geom/src/lib.rs <<'E'
//! Geometry that several crates need.

/// The sum of the cross products of neighbours, the last and the first being neighbours as well.
pub fn cross_sum(points: &[(f64, f64)]) -> f64 {
    let next = points.iter().cycle().skip(1);
    points.iter().zip(next).map(|(a, b)| a.0 * b.1 - b.0 * a.1).sum()
}

#[cfg(test)]
mod tests {
    use super::cross_sum;

    #[test]
    fn a_triangle() {
        assert_eq!(cross_sum(&[(0.0, 0.0), (1.0, 0.0), (0.0, 1.0)]), 1.0);
    }
}
E
sed -i 's/^members.*/members = ["geom", "shapes"]/' Cargo.toml
grep -q geom shapes/Cargo.toml || printf '\n[dependencies]\ngeom = { path = "../geom" }\n' >> shapes/Cargo.toml
cat > shapes/src/lib.rs <<'E'
/// The area of a polygon.
pub fn area(points: &[(f64, f64)]) -> f64 {
    if points.len() < 3 {
        return 0.0;
    }
    geom::cross_sum(points).abs() / 2.0
}
E
cargo generate-lockfile --offline
