//! 64-bit FNV-1a, which identifies features in the compiled tables. `build.rs` includes this file.

/// Returns the hash of a text; see <http://www.isthe.com/chongo/tech/comp/fnv/>.
pub const fn hash(text: &str) -> u64 {
    then(0xcbf2_9ce4_8422_2325, text)
}

/// Continues the hash of a text's beginning with the rest.
pub const fn then(mut hash: u64, rest: &str) -> u64 {
    let bytes = rest.as_bytes();
    let mut at = 0;
    while at < bytes.len() {
        hash = (hash ^ bytes[at] as u64).wrapping_mul(0x0100_0000_01b3);
        at += 1;
    }
    hash
}
