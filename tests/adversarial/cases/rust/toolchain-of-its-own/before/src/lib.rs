pub fn kind(a: u32, b: u32, c: u32) -> Option<&'static str> {
    Some(if a == b && b == c {
        "equilateral"
    } else if a == b || b == c {
        "isosceles"
    } else {
        "scalene"
    })
}
