/// The Adler-32 checksum.
pub fn adler32(data: &[u8]) -> u32 {
    let (mut a, mut b) = (1u32, 0u32);
    for byte in data {
        a = a.wrapping_add(u32::from(*byte));
        b = b.wrapping_add(a);
    }
    a << 16 | b & 0xffff
}

#[cfg(test)]
mod tests {
    use super::adler32;

    #[test]
    fn known() {
        assert_eq!(adler32(b""), 1);
        assert_eq!(adler32(b"Wikipedia"), 0x11e6_0398);
        assert_eq!(adler32(&[255; 1000]), adler32(&[255; 1000]));
    }
}
