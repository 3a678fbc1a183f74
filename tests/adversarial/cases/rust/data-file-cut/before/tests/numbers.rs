#[test]
fn all_rows() {
    for line in include_str!("numbers.tsv").lines() {
        let (text, want) = line.split_once('\t').expect("a tab");
        let got = phone::normalize(text).unwrap_or_else(|| "-".to_string());
        assert_eq!(got, want, "{text}");
    }
}
