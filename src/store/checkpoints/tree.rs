//! The Merkle tree of RFC 6962 (section 2.1) over the ends of all chains, with one leaf per user, ordered by user id.

use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};

use super::hex;
use crate::domain::id::UserId;

pub type Hash = [u8; 32];

/// Domain separator of leaves, with the version of their layout.
const DOMAIN: &[u8] = b"docket/head/v1";

/// The end of a chain, which a leaf represents.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct End {
    pub user: UserId,
    /// Number of the chain's last record.
    pub seq: i64,
    /// Hash of that record.
    #[serde(with = "hex")]
    pub hash: Vec<u8>,
}

impl End {
    /// Returns SHA-256(0x00 ‖ domain ‖ the 16 bytes of the user's id ‖ number, 8 bytes big-endian ‖ hash).
    pub fn leaf(&self) -> Hash {
        let hash = Sha256::new().chain_update([0]).chain_update(DOMAIN).chain_update(self.user.0.as_bytes());
        hash.chain_update(self.seq.to_be_bytes()).chain_update(&self.hash).finalize().into()
    }
}

fn node(left: &Hash, right: &Hash) -> Hash {
    Sha256::new().chain_update([1]).chain_update(left).chain_update(right).finalize().into()
}

/// A tree with incremental updates.
#[derive(Debug)]
pub struct Tree {
    /// Ordered by user id.
    ends: Vec<End>,
    /// The leaves, then each level above. A node without a sibling moves up unchanged, which equals the RFC's split at the
    /// largest power of two.
    levels: Vec<Vec<Hash>>,
}

impl Default for Tree {
    fn default() -> Self {
        Self::new(vec![])
    }
}

impl Tree {
    pub fn new(mut ends: Vec<End>) -> Self {
        ends.sort_by_key(|end| end.user);
        let mut tree = Self { levels: vec![ends.iter().map(End::leaf).collect()], ends };
        tree.grow();
        tree
    }

    /// Rebuilds all levels above the leaves.
    fn grow(&mut self) {
        self.levels.truncate(1);
        while let Some(below) = self.levels.last().filter(|level| level.len() > 1) {
            let above = below.chunks(2).map(|pair| match pair {
                [left, right] => node(left, right),
                alone => alone[0],
            });
            let above = above.collect();
            self.levels.push(above);
        }
    }

    /// Returns the end of a user's chain.
    pub fn end_of(&self, user: UserId) -> Option<&End> {
        self.ends.binary_search_by_key(&user, |known| known.user).ok().map(|at| &self.ends[at])
    }

    /// Replaces or inserts ends by user.
    pub fn put(&mut self, ends: impl IntoIterator<Item = End>) {
        let mut new = false;
        for end in ends {
            match self.ends.binary_search_by_key(&end.user, |known| known.user) {
                Ok(at) => {
                    self.levels[0][at] = end.leaf();
                    self.ends[at] = end;
                    if !new {
                        self.renew(at);
                    }
                }
                Err(at) => {
                    self.levels[0].insert(at, end.leaf());
                    self.ends.insert(at, end);
                    new = true;
                }
            }
        }
        if new {
            self.grow();
        }
    }

    /// Recomputes the nodes above a changed leaf.
    fn renew(&mut self, mut at: usize) {
        for level in 1..self.levels.len() {
            at /= 2;
            let below = &self.levels[level - 1];
            let renewed = match below.get(2 * at + 1) {
                Some(right) => node(&below[2 * at], right),
                None => below[2 * at],
            };
            self.levels[level][at] = renewed;
        }
    }

    /// Returns the ends, ordered by user id.
    pub fn ends(&self) -> &[End] {
        &self.ends
    }

    /// Returns the number of leaves.
    pub fn size(&self) -> u64 {
        u64::try_from(self.ends.len()).expect("a length fits in 64 bits")
    }

    /// Returns the root hash. For an empty tree this is the hash of no bytes.
    pub fn root(&self) -> Hash {
        let top = self.levels.last().and_then(|level| level.first());
        top.copied().unwrap_or_else(|| Sha256::digest([]).into())
    }

    /// Returns the index of the user's leaf and its audit path, from the leaf up.
    pub fn proof(&self, user: UserId) -> Option<(u64, Vec<Hash>)> {
        let leaf = self.ends.binary_search_by_key(&user, |end| end.user).ok()?;
        let mut at = leaf;
        let mut path = vec![];
        for level in &self.levels {
            path.extend(level.get(at ^ 1));
            at /= 2;
        }
        Some((u64::try_from(leaf).ok()?, path))
    }
}

/// Returns the root computed from a leaf and its audit path; `None` if the path does not fit `index` and `size`.
pub fn root_by(leaf: Hash, index: u64, size: u64, path: &[Hash]) -> Option<Hash> {
    if index >= size {
        return None;
    }
    if size == 1 {
        return path.is_empty().then_some(leaf);
    }
    let (neighbour, below) = path.split_last()?;
    // The largest power of two below the size.
    let left = 1 << (size - 1).ilog2();
    if index < left {
        Some(node(&root_by(leaf, index, left, below)?, neighbour))
    } else {
        Some(node(neighbour, &root_by(leaf, index - left, size - left, below)?))
    }
}

#[cfg(test)]
mod tests {
    use uuid::Uuid;

    use super::*;

    /// The tree of RFC 6962 as its section 2.1 defines it.
    fn defined(leaves: &[Hash]) -> Hash {
        match leaves {
            [] => Sha256::digest([]).into(),
            [leaf] => *leaf,
            _ => {
                let (left, right) = leaves.split_at(1 << (leaves.len() - 1).ilog2());
                node(&defined(left), &defined(right))
            }
        }
    }

    /// The audit path of the leaf at `at` as the RFC's section 2.1.1 defines it.
    fn defined_path(at: usize, leaves: &[Hash]) -> Vec<Hash> {
        if leaves.len() < 2 {
            return vec![];
        }
        let (left, right) = leaves.split_at(1 << (leaves.len() - 1).ilog2());
        let (mut path, neighbour) = match at.checked_sub(left.len()) {
            None => (defined_path(at, left), defined(right)),
            Some(at) => (defined_path(at, right), defined(left)),
        };
        path.push(neighbour);
        path
    }

    fn end(user: u128, seq: i64) -> End {
        End { user: UserId(Uuid::from_u128(user)), seq, hash: vec![7; 32] }
    }

    #[test]
    fn the_root_is_that_of_the_known_answers() {
        // Leaves of the tree of eight in the test data of certificate-transparency-go.
        let data = ["", "00", "10", "2021", "3031", "40414243", "5051525354555657", "606162636465666768696a6b6c6d6e6f"];
        let leaf =
            |text: &str| Sha256::new().chain_update([0]).chain_update(hex::read(text).unwrap()).finalize().into();
        let mut tree = Tree { ends: vec![], levels: vec![data.map(leaf).to_vec()] };
        tree.grow();
        assert_eq!(hex::text(&tree.root()), "5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328");
        assert_eq!(
            hex::text(&Tree::default().root()),
            "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
        );
    }

    #[test]
    fn merkle_tree_updated_incrementally_equals_a_rebuilt_one() {
        for size in 1..40_u128 {
            let mut tree = Tree::default();
            // Inserts the chains in an order other than by id, then lets each grow.
            for at in 0..size {
                tree.put([end(at * 7 % 41, 1)]);
            }
            for at in 0..size {
                tree.put([end(at * 7 % 41, 2)]);
                let leaves: Vec<Hash> = tree.ends().iter().map(End::leaf).collect();
                assert_eq!(tree.root(), defined(&leaves), "{size} leaves, {at}");
            }
            assert_eq!(tree.root(), Tree::new(tree.ends().to_vec()).root());
        }
    }

    #[test]
    fn paths_are_those_of_the_definition() {
        for size in 1..40_u64 {
            let mut tree = Tree::default();
            tree.put((0..size).map(|at| end((at * 7 % 41).into(), 1)));
            tree.put((0..size).step_by(3).map(|at| end((at * 7 % 41).into(), 2)));
            let leaves: Vec<Hash> = tree.ends().iter().map(End::leaf).collect();
            for (at, end) in tree.ends().iter().enumerate() {
                let (index, path) = tree.proof(end.user).unwrap();
                assert_eq!(
                    (index, path),
                    (u64::try_from(at).unwrap(), defined_path(at, &leaves)),
                    "{size} leaves, {at}"
                );
            }
        }
    }

    #[test]
    fn merkle_proof_is_valid_only_for_its_leaf_and_index() {
        for size in 1..20_u64 {
            let tree = Tree::new((0..size).map(|at| end(at.into(), 3)).collect());
            for one in tree.ends() {
                let (index, path) = tree.proof(one.user).unwrap();
                assert_eq!(root_by(one.leaf(), index, size, &path), Some(tree.root()));
                assert_ne!(root_by(End { seq: 2, ..one.clone() }.leaf(), index, size, &path), Some(tree.root()));
                if size > 1 {
                    assert_ne!(root_by(one.leaf(), (index + 1) % size, size, &path), Some(tree.root()));
                    assert_ne!(root_by(one.leaf(), index, size, &path[1..]), Some(tree.root()));
                }
            }
            assert_eq!(tree.proof(UserId(Uuid::max())), None);
        }
    }
}
