//! Linear models. `build.rs` converts each from a text with a line per feature to records of hash and weights, sorted by hash.

mod hash;

pub use hash::{hash, then};

/// A table with `N` integer weights per feature.
#[derive(Debug, Clone, Copy)]
pub struct Table<const N: usize>(pub &'static [u8]);

/// Sizes in bytes of a hash and of a weight.
const HASH: usize = 8;
const WEIGHT: usize = 2;

impl<const N: usize> Table<N> {
    const RECORD: usize = HASH + N * WEIGHT;

    /// Returns the weights of a feature; zeros if unknown.
    pub fn get(self, feature: &str) -> [i64; N] {
        self.at(hash(feature))
    }

    /// Returns the weights of the feature with that hash.
    pub fn at(self, wanted: u64) -> [i64; N] {
        let (mut low, mut high) = (0, self.0.len() / Self::RECORD);
        while low < high {
            let middle = low + (high - low) / 2;
            let (known, weights) = self.record(middle);
            match known.cmp(&wanted) {
                std::cmp::Ordering::Equal => return weights,
                std::cmp::Ordering::Less => low = middle + 1,
                std::cmp::Ordering::Greater => high = middle,
            }
        }
        [0; N]
    }

    fn record(self, at: usize) -> (u64, [i64; N]) {
        let record = &self.0[at * Self::RECORD..(at + 1) * Self::RECORD];
        let (known, weights) = record.split_first_chunk::<HASH>().expect("a record begins with a hash");
        let mut found = [0; N];
        for (weight, bytes) in found.iter_mut().zip(weights.chunks_exact(WEIGHT)) {
            *weight = i64::from(i16::from_le_bytes([bytes[0], bytes[1]]));
        }
        (u64::from_le_bytes(*known), found)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_feature_is_found_with_its_weights_and_no_other() {
        let mut records =
            [("a", [1, -2]), ("a b", [300, -400]), ("", [5, 6])].map(|(name, weights)| (hash(name), weights));
        records.sort_unstable();
        let bytes: Vec<u8> = records
            .iter()
            .flat_map(|(hash, weights)| {
                hash.to_le_bytes().into_iter().chain(weights.iter().flat_map(|weight: &i16| weight.to_le_bytes()))
            })
            .collect();
        let table = Table::<2>(bytes.leak());
        assert_eq!(["a", "a b", ""].map(|name| table.get(name)), [[1, -2], [300, -400], [5, 6]]);
        assert_eq!(["b", "ab", "a b c"].map(|name| table.get(name)), [[0, 0]; 3]);
        assert_eq!(Table::<1>(&[]).get("a"), [0]);
    }
}
