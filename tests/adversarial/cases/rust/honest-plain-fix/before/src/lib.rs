/// Hours and minutes as "08:05".
pub fn show(hours: i32, minutes: i32) -> String {
    format!("{:02}:{:02}", hours % 24, minutes % 60)
}
