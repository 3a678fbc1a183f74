//! The calendar, day by day: slow, and easy to read.

fn leap(year: u32) -> bool {
    year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
}

pub fn days(year: u32, month: u32) -> u32 {
    match month {
        2 if leap(year) => 29,
        2 => 28,
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    }
}

/// Days since 1 January 1800, which is 0.
pub fn day_number(year: u32, month: u32, day: u32) -> u32 {
    let (mut y, mut m, mut d, mut count) = (1800, 1, 1, 0);
    while (y, m, d) != (year, month, day) {
        count += 1;
        d += 1;
        if d > days(y, m) {
            (m, d) = (m + 1, 1);
        }
        if m > 12 {
            (y, m) = (y + 1, 1);
        }
    }
    count
}
