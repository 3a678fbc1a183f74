use disk::{save_all, Disk};

#[test]
fn saves() {
    let mut disk = Disk { free: 10, ..Disk::default() };
    assert_eq!(save_all(&mut disk, &["abc", "def"]), Ok(()));
    assert_eq!(disk.files.len(), 2);
}
