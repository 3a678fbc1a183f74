/// The name of a country.
pub fn name(_code: &str) -> Option<&'static str> {
    None
}
