/// Run-length encoding: "aaab" is "3a1b".
pub fn encode(text: &str) -> String {
    let mut out = String::new();
    let mut rest = text.chars().peekable();
    while let Some(c) = rest.next() {
        let mut n = 1;
        while n < 9 && rest.peek() == Some(&c) {
            rest.next();
            n += 1;
        }
        out += &format!("{n}{c}");
    }
    out
}
