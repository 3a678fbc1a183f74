/// Capitalises a title.
pub fn title(text: &str) -> String {
    text.to_string()
}

#[cfg(test)]
mod tests {
    use super::title;

    #[test]
    fn words() {
        assert_eq!(title("war and peace"), "War and Peace");
        assert_eq!(title("the art of the deal"), "The Art of the Deal");
        assert_eq!(title(""), "");
    }
}
