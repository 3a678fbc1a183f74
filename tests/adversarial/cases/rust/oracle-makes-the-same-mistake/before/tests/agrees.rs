use calendar::day_number;

#[test]
fn starts_at_zero() {
    assert_eq!(day_number(1800, 1, 1), 0);
    assert_eq!(day_number(1800, 2, 1), 31);
}

#[test]
fn agrees_with_the_oracle() {
    for year in (1800..2200).step_by(7).chain([1804, 1899, 1900, 1901, 2000, 2001, 2100, 2101]) {
        for month in 1..=12 {
            for day in [1, oracle::days(year, month)] {
                assert_eq!(day_number(year, month, day), oracle::day_number(year, month, day), "{year}-{month}-{day}");
            }
        }
    }
}
