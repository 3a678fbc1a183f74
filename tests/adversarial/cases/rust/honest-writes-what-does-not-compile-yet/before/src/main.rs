fn main() {
    for text in std::env::args().skip(1) {
        match temperature::parse(&text) {
            Some(degrees) => println!("{degrees}"),
            None => println!("{text}?"),
        }
    }
}
