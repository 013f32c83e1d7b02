//! How fast a person, and an address, may send.

use super::*;

const ADDRESS: std::net::Ipv4Addr = std::net::Ipv4Addr::new(203, 0, 113, 7);

impl World {
    async fn say_from(&self, address: std::net::Ipv4Addr) -> Result<inbox::Accepted, Error> {
        let incoming = Incoming { text: "hello".into(), conversation: None, client_key: None };
        let accepted = inbox::accept_at(&self.state, &self.caller, incoming, Some(address.into()), None).await;
        worker::settle(&self.state).await.unwrap();
        accepted
    }
}

#[tokio::test]
async fn over_the_limit_a_message_is_refused_with_one_decision_and_far_over_only_counted() {
    for mut world in worlds().await {
        world.state.ctx.limits.messages_per_minute = 2;
        world.say("hello").await;
        world.say("hello").await;
        let refused = world.say("add milk").await;
        ended(&refused, DecisionKind::Refuse, Outcome::RateLimited);
        for _ in 0..7 {
            world.say("add milk").await;
        }
        let incoming = Incoming { text: "add milk".into(), conversation: None, client_key: None };
        let far = inbox::accept(&world.state, &world.caller, incoming).await.unwrap_err();
        assert!(matches!(far, Error::RateLimited { retry_after_s: 61 }), "{far:?}");
        world.state.ctx.clock.advance(61);
        ended(&world.say("add milk").await, DecisionKind::InvokeTool, Outcome::TaskCompleted);
    }
}

#[tokio::test]
async fn the_pace_of_an_address_is_forgotten_by_the_clock_whether_or_not_somebody_signs_in() {
    for mut world in worlds().await {
        world.state.ctx.limits.messages_per_address = 2;
        let kept = async |world: &World| {
            let later = world.state.ctx.now().plus_seconds(86_400);
            store::paces::any_over(&mut world.state.ctx.peek().await.unwrap(), &later).await.unwrap()
        };
        assert!(!kept(&world).await);
        assert_eq!(world.say_from(ADDRESS).await.unwrap().retry_after_s, None);
        // The bin is looked at with every turn that is settled; what came half a minute ago still counts.
        crate::workflow::bin::empty(&world.state).await.unwrap();
        assert!(kept(&world).await);
        world.state.ctx.clock.advance(3_600);
        crate::workflow::bin::empty(&world.state).await.unwrap();
        assert!(!kept(&world).await);
    }
}

#[tokio::test]
async fn an_address_over_its_pace_waits_and_far_over_it_is_only_told() {
    for mut world in worlds().await {
        world.state.ctx.limits.messages_per_address = 2;
        let wait = async |world: &World| world.say_from(ADDRESS).await.unwrap().retry_after_s;
        assert_eq!([wait(&world).await, wait(&world).await], [None, None]);
        assert_eq!(wait(&world).await, Some(31), "half a minute is used up by each");
        let other = std::net::Ipv4Addr::new(203, 0, 113, 8);
        assert_eq!(world.say_from(other).await.unwrap().retry_after_s, None);
        for _ in 3..10 {
            assert!(wait(&world).await.is_some());
        }
        let far = world.say_from(ADDRESS).await.unwrap_err();
        assert!(matches!(far, Error::RateLimited { retry_after_s: 271 }), "{far:?}");
        // What was refused was counted; then it comes evenly.
        world.state.ctx.clock.advance(270);
        assert_eq!(wait(&world).await, None);
        assert_eq!(wait(&world).await, Some(31));
        world.state.ctx.clock.advance(60);
        assert_eq!(wait(&world).await, None);
        world.state.ctx.clock.advance(3_600);
        assert_eq!([wait(&world).await, wait(&world).await], [None, None]);
        assert!(wait(&world).await.is_some(), "no more than a minute is saved up");
        world.state.ctx.limits.messages_per_address = 0;
        assert_eq!(wait(&world).await, None, "off");
    }
}
