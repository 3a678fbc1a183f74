//! A disk that can be full.

#[derive(Debug, PartialEq)]
pub struct Full;

#[derive(Default)]
pub struct Disk {
    pub free: usize,
    pub files: Vec<String>,
}

impl Disk {
    pub fn write(&mut self, text: &str) -> Result<(), Full> {
        self.free = self.free.checked_sub(text.len()).ok_or(Full)?;
        self.files.push(text.to_string());
        Ok(())
    }
}

/// Writes them all.
pub fn save_all(disk: &mut Disk, texts: &[&str]) -> Result<(), Full> {
    for text in texts {
        disk.write(text);
    }
    Ok(())
}
