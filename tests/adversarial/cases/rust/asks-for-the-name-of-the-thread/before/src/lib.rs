/// Sorts names as people do.
pub fn sort(names: &mut [String]) {
    names.sort();
}
