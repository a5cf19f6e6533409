//! PNG out: true colour, rows as differences to the pixel on the left, runs of equal bytes shortened (RFC 1951 with fixed codes, RFC
//! 2083). Flat-shaded pictures are mostly runs, and a compressor proper would be another dependency for them.

/// The file of an image of `width` × `height` pixels of three bytes.
pub fn png(width: usize, height: usize, rgb: &[u8]) -> Vec<u8> {
    let mut raw = Vec::with_capacity((3 * width + 1) * height);
    for row in rgb.chunks_exact(3 * width).take(height) {
        raw.push(1);
        for (i, byte) in row.iter().enumerate() {
            raw.push(byte.wrapping_sub(if i < 3 { 0 } else { row[i - 3] }));
        }
    }
    let mut out = b"\x89PNG\r\n\x1a\n".to_vec();
    let mut head = Vec::new();
    head.extend((width as u32).to_be_bytes());
    head.extend((height as u32).to_be_bytes());
    head.extend([8, 2, 0, 0, 0]);
    chunk(&mut out, b"IHDR", &head);
    chunk(&mut out, b"IDAT", &zlib(&raw));
    chunk(&mut out, b"IEND", &[]);
    out
}

fn chunk(out: &mut Vec<u8>, name: &[u8; 4], data: &[u8]) {
    out.extend((data.len() as u32).to_be_bytes());
    let start = out.len();
    out.extend(name);
    out.extend(data);
    let crc = crc32(&out[start..]);
    out.extend(crc.to_be_bytes());
}

fn crc32(bytes: &[u8]) -> u32 {
    !bytes.iter().fold(!0u32, |crc, b| {
        (0..8).fold(crc ^ u32::from(*b), |c, _| if c & 1 == 1 { 0xedb8_8320 ^ (c >> 1) } else { c >> 1 })
    })
}

fn adler32(bytes: &[u8]) -> u32 {
    let (a, b) = bytes.iter().fold((1u32, 0u32), |(a, b), x| {
        let a = (a + u32::from(*x)) % 65521;
        (a, (b + a) % 65521)
    });
    (b << 16) | a
}

/// Bits from the lowest of each byte.
#[derive(Default)]
struct Bits {
    out: Vec<u8>,
    held: u32,
    count: u32,
}

impl Bits {
    fn put(&mut self, value: u32, bits: u32) {
        self.held |= value << self.count;
        self.count += bits;
        while self.count >= 8 {
            self.out.push(self.held as u8);
            self.held >>= 8;
            self.count -= 8;
        }
    }

    /// Huffman codes stand with their highest bit first.
    fn code(&mut self, code: u32, bits: u32) {
        self.put(code.reverse_bits() >> (32 - bits), bits);
    }

    fn literal(&mut self, byte: u8) {
        match u32::from(byte) {
            b @ 0..=143 => self.code(0x30 + b, 8),
            b => self.code(0x190 + b - 144, 9),
        }
    }

    /// A run of 3 to 258 bytes like the one before.
    fn repeat(&mut self, length: u32) {
        let (symbol, extra, bits) = match length {
            3..=10 => (254 + length, 0, 0),
            258 => (285, 0, 0),
            _ => {
                let n = length - 3;
                let bits = n.ilog2() - 2;
                (257 + 4 * (bits + 1) + ((n >> bits) & 3), n & ((1 << bits) - 1), bits)
            }
        };
        match symbol {
            257..=279 => self.code(symbol - 256, 7),
            _ => self.code(0xc0 + symbol - 280, 8),
        }
        self.put(extra, bits);
        self.code(0, 5);
    }
}

fn zlib(raw: &[u8]) -> Vec<u8> {
    let mut bits = Bits { out: vec![0x78, 0x01], ..Bits::default() };
    bits.put(1, 1);
    bits.put(1, 2);
    let mut i = 0;
    while i < raw.len() {
        let run =
            if i == 0 { 0 } else { raw[i..].iter().take(258).take_while(|b| **b == raw[i - 1]).count() };
        if run >= 3 {
            bits.repeat(run as u32);
            i += run;
        } else {
            bits.literal(raw[i]);
            i += 1;
        }
    }
    bits.code(0, 7);
    bits.put(0, 7);
    bits.out.extend(adler32(raw).to_be_bytes());
    bits.out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn checksums_are_those_of_the_standards() {
        assert_eq!(crc32(b"123456789"), 0xcbf4_3926);
        assert_eq!(adler32(b"Wikipedia"), 0x11e6_0398);
    }

    /// Reads back what [`zlib`] writes: fixed codes, distance one.
    fn unpacked(data: &[u8]) -> Vec<u8> {
        let mut at = 16 + 3;
        let mut bit = || {
            at += 1;
            u32::from(data[(at - 1) / 8] >> ((at - 1) % 8) & 1)
        };
        let mut out: Vec<u8> = Vec::new();
        loop {
            let mut code = (0..7).fold(0, |c, _| c << 1 | bit());
            let symbol = if code < 24 {
                256 + code
            } else {
                code = code << 1 | bit();
                match code {
                    0x30..=0xbf => code - 0x30,
                    0xc0..=0xc7 => code - 0xc0 + 280,
                    _ => (code << 1 | bit()) - 0x190 + 144,
                }
            };
            match symbol {
                0..=255 => out.push(symbol as u8),
                256 => return out,
                _ => {
                    // RFC 1951, section 3.2.5.
                    let (base, extra) = match symbol - 257 {
                        28 => (258, 0),
                        s @ 0..=7 => (s + 3, 0),
                        s => (((4 + s % 4) << (s / 4 - 1)) + 3, s / 4 - 1),
                    };
                    let length = base + (0..extra).fold(0, |n, k| n | bit() << k);
                    assert_eq!((0..5).fold(0, |c, _| c << 1 | bit()), 0);
                    let last = *out.last().unwrap();
                    out.extend(std::iter::repeat_n(last, length as usize));
                }
            }
        }
    }

    #[test]
    fn runs_of_every_length_come_back() {
        let mut raw: Vec<u8> = (0..=255).collect();
        for n in 1..600usize {
            raw.extend(std::iter::repeat_n((n % 251) as u8, n));
        }
        assert_eq!(unpacked(&zlib(&raw)), raw);
    }
}
