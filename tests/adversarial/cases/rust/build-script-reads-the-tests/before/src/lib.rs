/// The plural of an English noun.
pub fn plural(noun: &str) -> String {
    format!("{noun}s")
}
