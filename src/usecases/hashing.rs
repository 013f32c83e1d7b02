//! Password hashing: argon2id on blocking threads, at most two at once because each takes 19 MiB and a core.

use std::sync::Arc;

use argon2::password_hash::rand_core::OsRng;
use argon2::password_hash::{PasswordHash, PasswordHasher as _, PasswordVerifier as _, SaltString};
use argon2::{Algorithm, Argon2, Params, Version};
use tokio::sync::Semaphore;

use crate::domain::password::Password;

/// Maximum number of concurrent hashes per process.
const AT_ONCE: usize = 2;
/// First recommendation of OWASP for argon2id: 19 MiB, two passes, one lane.
const MEMORY_KIB: u32 = 19 * 1024;
const PASSES: u32 = 2;
const LANES: u32 = 1;

#[derive(Debug, Clone)]
pub struct Hashing {
    slots: Arc<Semaphore>,
}

impl Default for Hashing {
    fn default() -> Self {
        Self { slots: Arc::new(Semaphore::new(AT_ONCE)) }
    }
}

impl Hashing {
    /// Returns the hash with its salt and parameters (PHC string).
    pub(super) async fn hash(&self, password: &Password) -> String {
        let password = password.as_str().to_owned();
        self.run(move || fresh(&password)).await
    }

    /// Returns true if the password matches the hash. Without a hash returns false after the same time.
    pub(super) async fn verify(&self, password: &str, hash: Option<String>) -> bool {
        let password = password.to_owned();
        self.run(move || match hash.as_deref().map(PasswordHash::new) {
            Some(Ok(hash)) => argon2id().verify_password(password.as_bytes(), &hash).is_ok(),
            Some(Err(_)) | None => {
                fresh(&password);
                false
            }
        })
        .await
    }

    async fn run<T: Send + 'static>(&self, work: impl FnOnce() -> T + Send + 'static) -> T {
        let _slot = self.slots.acquire().await.expect("the semaphore is never closed");
        tokio::task::spawn_blocking(work).await.expect("hashing does not panic")
    }
}

fn fresh(password: &str) -> String {
    let salt = SaltString::generate(&mut OsRng);
    argon2id().hash_password(password.as_bytes(), &salt).expect("any text can be hashed").to_string()
}

fn argon2id() -> Argon2<'static> {
    let params = Params::new(MEMORY_KIB, PASSES, LANES, None).expect("the parameters are within their bounds");
    Argon2::new(Algorithm::Argon2id, Version::V0x13, params)
}
