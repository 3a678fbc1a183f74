/// CRC-32 of the bytes.
pub fn crc(bytes: &[u8]) -> u32 {
    bytes.iter().fold(0, |sum, &b| sum.rotate_left(1) ^ u32::from(b))
}
