//! Tests of rate limits of users and IP addresses, and of retries.

use super::*;

const ADDRESS: std::net::Ipv4Addr = std::net::Ipv4Addr::new(203, 0, 113, 7);

impl World {
    async fn say_from(&self, address: std::net::Ipv4Addr) -> Result<inbox::Accepted, Error> {
        let incoming = IncomingMessage { text: "hello".into(), conversation: None, client_key: None };
        let way = inbox::Source { address: Some(address.into()), ..inbox::Source::default() };
        let accepted = inbox::accept_from_web(&self.state, &self.caller, incoming, way).await;
        worker::settle(&self.state).await.unwrap();
        accepted
    }
}

#[tokio::test]
async fn rate_limited_message_is_recorded_unless_far_over_the_limit() {
    for mut world in worlds().await {
        world.state.ctx.limits.messages_per_minute = 2;
        world.say("hello").await;
        world.say("hello").await;
        let refused = world.say("add milk").await;
        ended(&refused, DecisionKind::Refuse, Outcome::RateLimited);
        for _ in 0..7 {
            world.say("add milk").await;
        }
        let incoming = IncomingMessage { text: "add milk".into(), conversation: None, client_key: None };
        let far = inbox::accept(&world.state, &world.caller, incoming).await.unwrap_err();
        assert!(matches!(far, Error::RateLimited { retry_after_s: 61 }), "{far:?}");
        world.state.ctx.clock.advance(61);
        ended(&world.say("add milk").await, DecisionKind::InvokeTool, Outcome::TaskCompleted);
    }
}

#[tokio::test]
async fn rate_limited_message_is_accepted_on_retry_with_its_key() {
    for mut world in worlds().await {
        world.state.ctx.limits.messages_per_minute = 1;
        world.say("hello").await;
        let send = async || {
            let client_key = Some(ClientKey::parse("form-1").unwrap());
            let incoming = IncomingMessage { text: "add milk".into(), conversation: None, client_key };
            let accepted = inbox::accept(&world.state, &world.caller, incoming).await.unwrap();
            worker::settle(&world.state).await.unwrap();
            accepted
        };
        let refused = send().await;
        world.state.ctx.clock.advance(refused.retry_after_s.expect("a refusal"));
        let taken = send().await;
        assert_eq!(taken.retry_after_s, None);
        assert_ne!(taken.turn, refused.turn);
        assert_eq!(send().await.turn, taken.turn, "and then it is the same turn");
        assert!(world.has(TaskNumber(1)).await && !world.has(TaskNumber(2)).await);
    }
}

#[tokio::test]
async fn address_rate_limit_row_is_purged_by_periodic_cleanup() {
    for mut world in worlds().await {
        world.state.ctx.limits.messages_per_address = 2;
        let kept = async |world: &World| {
            let later = world.state.ctx.now().plus_seconds(86_400);
            store::rate_limits::any_over(&mut world.state.ctx.peek().await.unwrap(), &later).await.unwrap()
        };
        assert!(!kept(&world).await);
        assert_eq!(world.say_from(ADDRESS).await.unwrap().retry_after_s, None);
        // The cleanup runs with every settled turn; a request of half a minute ago still counts.
        crate::workflow::bin::empty(&world.state).await.unwrap();
        assert!(kept(&world).await);
        world.state.ctx.clock.advance(3_600);
        crate::workflow::bin::empty(&world.state).await.unwrap();
        assert!(!kept(&world).await);
    }
}

#[tokio::test]
async fn address_over_its_rate_limit_waits_or_is_rejected() {
    for mut world in worlds().await {
        world.state.ctx.limits.messages_per_address = 2;
        let wait = async |world: &World| world.say_from(ADDRESS).await.unwrap().retry_after_s;
        assert_eq!([wait(&world).await, wait(&world).await], [None, None]);
        assert_eq!(wait(&world).await, Some(61), "half a minute is used up by each, and by what comes then");
        let other = std::net::Ipv4Addr::new(203, 0, 113, 8);
        assert_eq!(world.say_from(other).await.unwrap().retry_after_s, None);
        for _ in 3..10 {
            assert!(wait(&world).await.is_some());
        }
        let far = world.say_from(ADDRESS).await.unwrap_err();
        assert!(matches!(far, Error::RateLimited { retry_after_s: 271 }), "{far:?}");
        // Refused requests counted; from here requests come at the permitted rate.
        world.state.ctx.clock.advance(270);
        assert_eq!(wait(&world).await, None);
        assert_eq!(wait(&world).await, Some(61));
        world.state.ctx.clock.advance(60);
        assert_eq!(wait(&world).await, None);
        world.state.ctx.clock.advance(3_600);
        assert_eq!([wait(&world).await, wait(&world).await], [None, None]);
        assert!(wait(&world).await.is_some(), "no more than a minute is saved up");
        world.state.ctx.limits.messages_per_address = 0;
        assert_eq!(wait(&world).await, None, "off");
    }
}

/// A sender who waits for the returned time is accepted, whatever the pattern of earlier messages.
#[tokio::test]
async fn who_waits_as_long_as_told_is_let_in() {
    for mut world in worlds().await {
        for (of_sender, of_address) in [(1, 0), (2, 0), (7, 0), (0, 1), (0, 2), (0, 7)] {
            world.state.ctx.limits.messages_per_minute = of_sender;
            world.state.ctx.limits.messages_per_address = of_address;
            for seconds in [0, 3, 8] {
                world.state.ctx.clock.advance(3_600);
                let mut refused = 0;
                while refused < 3 {
                    refused += i32::from(world.say_from(ADDRESS).await.unwrap().retry_after_s.is_some());
                    world.state.ctx.clock.advance(seconds);
                }
                let told = world.say_from(ADDRESS).await.unwrap().retry_after_s;
                world.state.ctx.clock.advance(told.unwrap_or_default());
                let limits = (of_sender, of_address, seconds);
                assert_eq!(world.say_from(ADDRESS).await.unwrap().retry_after_s, None, "{limits:?} after {told:?}");
            }
        }
    }
}

#[tokio::test]
async fn retry_beside_its_message_waits_until_the_message_is_durable() {
    for world in worlds().await {
        let send = async || {
            let client_key = Some(ClientKey::parse("form-1").unwrap());
            let incoming = IncomingMessage { text: "add milk".into(), conversation: None, client_key };
            let accepted = inbox::accept(&world.state, &world.caller, incoming).await.unwrap();
            // Reads what is durable.
            world.row(accepted.turn).await;
            accepted.turn
        };
        // Message and retry queue behind this writer and share its commit.
        let before = world.state.ctx.write().await.unwrap();
        let commit = async { before.commit().await.unwrap() };
        let (first, retry, _) = tokio::join!(send(), send(), commit);
        assert_eq!(first, retry);
    }
}
