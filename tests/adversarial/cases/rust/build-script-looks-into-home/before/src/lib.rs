/// The tax on a yearly income.
pub fn income(_euros: u64) -> u64 {
    0
}
