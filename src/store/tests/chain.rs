//! Recomputes the hash chain from the stored rows.

use sha2::{Digest as _, Sha256};

use super::*;

type Link = (i64, String, Timestamp, Vec<u8>, Vec<u8>, Vec<u8>, Option<Vec<u8>>, Option<String>);

/// Recomputes all links and returns their number. Panics at the first mismatch.
pub async fn verify(tx: &mut Tx, user: UserId) -> usize {
    let links: Vec<Link> = on!(tx, |conn| sqlx::query_as(
        "SELECT r.seq, r.kind, r.at, r.digest, r.previous, r.hash, b.salt, b.body FROM records r
         LEFT JOIN bodies b ON b.user_id = r.user_id AND b.seq = r.seq WHERE r.user_id = $1 ORDER BY r.seq"
    )
    .bind(user)
    .fetch_all(conn)
    .await)
    .unwrap();
    let mut last = vec![0; 32];
    for (place, (seq, kind, at, digest, previous, hash, salt, body)) in links.iter().enumerate() {
        assert_eq!(*seq, i64::try_from(place).unwrap() + 1, "no record is missing");
        assert_eq!(*previous, last, "record {seq} follows the one before");
        if let (Some(salt), Some(body)) = (salt, body) {
            assert_eq!(*digest, Sha256::new().chain_update(salt).chain_update(body).finalize().to_vec());
            let value: serde_json::Value = serde_json::from_str(body).unwrap();
            assert_eq!(*body, serde_json_canonicalizer::to_string(&value).unwrap(), "a body is canonical");
        }
        let mut link = Sha256::new();
        link.update(b"docket/record/v1");
        link.update(user.0.as_bytes());
        link.update(seq.to_be_bytes());
        link.update(previous);
        for part in [kind.as_str(), at.as_str()] {
            link.update((part.len() as u64).to_be_bytes());
            link.update(part);
        }
        link.update(digest);
        assert_eq!(*hash, link.finalize().to_vec(), "record {seq}");
        last.clone_from(hash);
    }
    let head: Vec<u8> = on!(tx, |conn| sqlx::query_scalar("SELECT record_hash FROM heads WHERE user_id = $1")
        .bind(user)
        .fetch_one(conn)
        .await)
    .unwrap();
    assert_eq!(head, last, "the head is the last link");
    links.len()
}

#[tokio::test]
async fn every_link_can_be_computed_again() {
    for (db, store) in testing::stores().await {
        let life = Life::of(&store, "ana").await;
        let links = verify(&mut store.read().await.unwrap(), life.user).await;
        assert_eq!(links, 7, "{db}: two messages, a step, a request, a call, a decision, a change");
    }
}

#[tokio::test]
async fn the_ownerless_have_a_chain_of_their_own() {
    for (_, store) in testing::stores().await {
        let mut tx = store.write().await.unwrap();
        for _ in 0..3 {
            records::append(&mut tx, UserId::SYSTEM, records::Kind::Account, &now(), &json!({})).await.unwrap();
        }
        tx.commit().await.unwrap();
        assert_eq!(verify(&mut store.read().await.unwrap(), UserId::SYSTEM).await, 3);
    }
}
