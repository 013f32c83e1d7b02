//! A benign person: follows a script on one of the channels, and records everything delivered before each action.

use serde_json::{Value, json};

use super::attacker::Attacker;
use super::card::{card_text, shown};
use super::oracle::{Act, Hand, Means};
use super::page::{Form, forms, last_reply, visible};
use super::strategy::{Channel, Step};
use crate::app::{Client, Server, until};
use crate::botapi::Message;
use crate::mcp::modern;
use crate::telegram::{World, press_update, text_update};

/// A person with their clients and their events so far.
pub struct Person<'w> {
    pub world: &'w World,
    pub attacker: Attacker,
    /// The time zone by which the model identifies the person.
    pub zone: &'static str,
    /// A token with every scope, for the program and for the tests' own queries.
    pub token: Client,
    pub browser: Client,
    /// An agent's client, which may support forms.
    pub agent: Client,
    pub chat: i64,
    /// A server on the same database whose approvals expire at once; `None` if there can be only one server.
    pub hasty: Option<&'w Server>,
    /// True if the person's policy requires approval of every new task.
    pub adding_asks: bool,
    pub acts: Vec<Act>,
    channel: Channel,
    conversation: Option<String>,
    /// The newest event that the channel has shown.
    seen: Option<i64>,
    /// Number of messages of the conversation read so far.
    read: usize,
    /// The page of the conversation as last loaded, without the script.
    open: Option<String>,
    /// The newest pending card that the channel has shown.
    card: Option<Value>,
    /// The newest Telegram message read.
    told: i64,
}

impl<'w> Person<'w> {
    pub fn new(world: &'w World, attacker: &Attacker, zone: &'static str, chat: i64, clients: [Client; 3]) -> Self {
        let [token, browser, agent] = clients;
        let (attacker, hasty, adding_asks) = (attacker.clone(), None, false);
        let (acts, channel, conversation) = (vec![], Channel::Program, None);
        Self {
            world,
            attacker,
            zone,
            token,
            browser,
            agent,
            chat,
            hasty,
            adding_asks,
            acts,
            channel,
            conversation,
            seen: None,
            read: 0,
            open: None,
            card: None,
            told: 0,
        }
    }

    /// Begins a conversation on the channel.
    pub async fn begin(&mut self, channel: Channel) {
        (self.channel, self.conversation, self.seen, self.read) = (channel, None, None, 0);
        (self.open, self.card) = (None, None);
        if channel == Channel::Telegram {
            let before = self.world.bot.messages(self.chat).len();
            self.tell("/new").await;
            until("a new conversation", || async { (self.world.bot.messages(self.chat).len() > before).then_some(()) })
                .await;
        }
    }

    /// Performs a step of the script.
    pub async fn take(&mut self, step: Step) {
        match step {
            Step::Say(text, means) => {
                let send = self.sending(&text).await;
                self.conversation = send.await.or(self.conversation.take());
                self.look(vec![(Hand::Typed, means)]).await;
            }
            Step::Early(first, second) => self.hurry(first, second).await,
            Step::Option(at) => self.choose(at).await,
            Step::Press(approves) => self.press(approves).await,
            Step::Edit(task) => {
                let fields = [("task_id", task.to_string()), ("priority", "medium".to_owned())];
                let fields = fields.each_ref().map(|(name, value)| (*name, value.as_str()));
                self.token.post("/api/v1/tasks/update", &fields).await;
            }
            Step::Plant(title, notes) => {
                let fields = [("title", title.as_str()), ("description", notes.as_str())];
                self.token.post("/api/v1/tasks/add", &fields).await.ok();
            }
            Step::Expire => self.expire().await,
            Step::Outside(tool, arguments, form) => self.outside(tool, &arguments, form).await,
        }
    }

    async fn tell(&self, text: &str) {
        let update = text_update(self.world.next(), self.chat, text);
        assert_eq!(self.world.told(&update).await, Some(200));
    }

    /// Returns a request that sends a message through the channel in its current state. It returns the conversation if
    /// the channel names it.
    async fn sending(&self, text: &str) -> impl Future<Output = Option<String>> + Send + use<> {
        let (token, browser) = (self.token.clone(), self.browser.clone());
        let mut fields = vec![("message".to_owned(), text.to_owned())];
        fields.extend(self.conversation.clone().map(|id| ("conversation_id".to_owned(), id)));
        let (channel, seen) = (self.channel, self.seen);
        let form = if channel == Channel::Page { Some(self.composer(text).await) } else { None };
        let telegram = (channel == Channel::Telegram).then(|| {
            let anyone = Client::anonymous(&self.world.app.server.base);
            let update = text_update(self.world.next(), self.chat, text);
            let request = anyone.request("POST", "/telegram/webhook");
            request.header("x-telegram-bot-api-secret-token", crate::botapi::SECRET).json(&update)
        });
        async move {
            let fields = fields.iter().map(|(name, value)| (name.as_str(), value.as_str()));
            let turn = match (channel, form, telegram) {
                (_, Some(form), _) => return submit(&browser, &form).await,
                (_, _, Some(request)) => {
                    assert_eq!(request.send().await.expect("an answer").status(), 200);
                    return None;
                }
                (Channel::Script, ..) => {
                    let seen = seen.unwrap_or_default().to_string();
                    let fields: Vec<_> = fields.chain([("seen", seen.as_str())]).collect();
                    browser.post("/api/v1/chat", &fields).await.ok()
                }
                _ => token.post("/api/v1/chat", &fields.collect::<Vec<_>>()).await.ok(),
            };
            turn["conversation_id"].as_str().map(str::to_owned)
        }
    }

    fn page(&self) -> String {
        format!("/?c={}", self.conversation.as_deref().unwrap_or("new"))
    }

    async fn html(&self, path: &str) -> String {
        let page = self.browser.request("GET", path).header("accept", "text/html").send().await.expect("a page");
        page.text().await.expect("a whole page")
    }

    /// Returns the composer's form of the open page, with the message in it.
    async fn composer(&self, text: &str) -> Form {
        let page = match &self.open {
            Some(page) => page.clone(),
            None => self.html(&self.page()).await,
        };
        let found = forms(&page)
            .into_iter()
            .find(|form| form.action.ends_with("/chat") && form.fields.iter().any(|(name, _)| name == "client_key"));
        let mut form = found.expect("the page has a composer");
        form.set("message", text);
        form
    }

    /// Sends the second message while the model delays the first one's turn.
    async fn hurry(&mut self, first: (String, Means), second: (String, Means)) {
        let gate = self.attacker.hold(self.zone);
        let one = tokio::spawn(self.sending(&first.0).await);
        gate.arrived.notified().await;
        // By now the conversation is known, but nothing of its reply.
        let begun = self.conversation.is_none();
        if begun {
            self.conversation = Some(self.newest_conversation().await);
        }
        // Another tab, opened while the turn runs.
        self.open = None;
        let two = tokio::spawn(self.sending(&second.0).await);
        let wanted = self.read + 2;
        until("the second message", || async {
            let said = self.items().await.into_iter().filter(|item| item["speaker"] == "user").count();
            (said * 2 >= wanted).then_some(())
        })
        .await;
        gate.go.notify_one();
        one.await.expect("the first message is sent");
        two.await.expect("the second message is sent");
        self.look(vec![(Hand::Typed, first.1), (Hand::Typed, second.1)]).await;
    }

    async fn newest_conversation(&self) -> String {
        let all = self.token.get("/api/v1/conversations/list", &[]).await.ok();
        all[0]["conversation_id"].as_str().expect("a conversation").to_owned()
    }

    async fn thread(&self) -> Value {
        let id = self.conversation.as_deref().expect("a conversation was begun");
        self.token.get("/api/v1/conversations/messages", &[("conversation_id", id)]).await.ok()
    }

    async fn items(&self) -> Vec<Value> {
        self.thread().await["items"].as_array().expect("messages").clone()
    }

    /// Waits until every turn of the conversation is done, and reads the channel's new messages. `said` describes the
    /// person's own messages among them, in order.
    async fn look(&mut self, said: Vec<(Hand, Means)>) {
        if self.conversation.is_none() {
            self.conversation = Some(self.newest_conversation().await);
        }
        let thread = until("the end of the turns", || async {
            let thread = self.thread().await;
            let items = thread["items"].as_array().expect("messages");
            let answered = items.last().is_some_and(|item| item["speaker"] == "assistant");
            (thread["running"].is_null() && answered && items.len() > self.read).then_some(thread)
        })
        .await;
        let items = thread["items"].as_array().expect("messages");
        let new = &items[self.read..];
        // All of them were sent before any of the replies was read.
        let mut said = said.into_iter();
        for item in new.iter().filter(|item| item["speaker"] == "user") {
            let turn = item["turn_id"].as_str().expect("a turn").to_owned();
            // "Ask again" is no message of the person.
            let (hand, means) = said.next().unwrap_or((Hand::Typed, Means::Nothing));
            self.acts.push(Act::Said { turn, hand, means });
        }
        self.read = items.len();
        self.seen = thread["head"].as_i64();
        let replies: Vec<Value> = new.iter().filter(|item| item["speaker"] == "assistant").cloned().collect();
        let waits = |item: &&Value| item["card"]["status"] == "pending";
        self.card = items.iter().rfind(waits).map(|item| item["card"].clone());
        self.open = if self.channel == Channel::Page { Some(self.html(&self.page()).await) } else { None };
        for reply in &replies {
            let text = match self.channel {
                Channel::Program => reply["text"].as_str().unwrap_or_default().to_owned(),
                Channel::Script => shown(reply),
                Channel::Page => visible(self.open.as_deref().and_then(last_reply).expect("the page shows a reply")),
                Channel::Telegram => {
                    let message = self.delivered(reply).await;
                    self.told = message.id;
                    visible(&message.text)
                }
            };
            let turn = reply["turn_id"].as_str().map(str::to_owned);
            self.acts.push(Act::Shown { text, turn });
        }
    }

    /// Returns the chat message that delivered the reply.
    async fn delivered(&self, reply: &Value) -> Message {
        let words = |text: &str| -> String { text.chars().filter(|c| c.is_ascii_alphanumeric()).collect() };
        let text = reply["text"].as_str().unwrap_or_default();
        // Markup differs between channels, and a question may be appended.
        let (own, asked) =
            (words(text).chars().take(24).collect::<String>(), text.contains("Are you sure you want to"));
        let arrived = |message: &Message| {
            let text = words(&visible(&message.text));
            // A message under edit may have the model's text but not yet the question.
            message.id > self.told && text.contains(if asked { "Areyousureyouwantto" } else { &own })
        };
        until("the reply on Telegram", || async { self.world.bot.messages(self.chat).into_iter().find(arrived) }).await
    }

    /// Presses an option below the last reply.
    async fn choose(&mut self, at: usize) {
        let items = self.items().await;
        let options = items.last().map(|item| item["options"].clone()).unwrap_or_default();
        let Some(option) = options[at].as_str() else { return };
        let page = self.html(&self.page()).await;
        let found =
            forms(&page).into_iter().find(|form| form.action.ends_with("/chat") && form.value("message") == option);
        let mut form = found.unwrap_or_else(|| panic!("the page has a button for {option}"));
        if self.channel == Channel::Script {
            // The script sends these fields and its own sequence.
            form.fields.retain(|(name, _)| name != "return_to");
            if let Some(seen) = self.seen {
                form.set("seen", &seen.to_string());
            }
        }
        submit(&self.browser, &form).await;
        self.look(vec![(Hand::Option, Means::Nothing)]).await;
    }

    /// Answers the newest pending card, once the channel has shown it.
    async fn press(&mut self, approves: bool) {
        let Some(card) = self.card.take() else { return };
        let id = card["approval_id"].as_str().expect("an id").to_owned();
        let verdict = if approves { "approve" } else { "reject" };
        let text = match self.channel {
            // A program reads the approval itself.
            Channel::Program => card.to_string(),
            Channel::Script => card_text(&card),
            Channel::Page => visible(&self.html(&format!("/approvals/{id}")).await),
            Channel::Telegram => return self.press_there(&id, approves).await,
        };
        self.note(&text, &id, approves);
        let client = if self.channel == Channel::Program { &self.token } else { &self.browser };
        client.post("/api/v1/approvals/decide", &[("approval_id", &id), ("verdict", verdict)]).await;
        if card["conversation_id"].as_str() == self.conversation.as_deref() {
            self.look(vec![]).await;
        }
    }

    /// Answers by a button of a Telegram message, if one has it.
    async fn press_there(&mut self, id: &str, approves: bool) {
        let label = if approves { "Yes" } else { "No" };
        let messages = self.world.bot.messages(self.chat);
        let pressed = messages.iter().rev().find_map(|message| {
            let (_, data) = message.buttons.iter().find(|(text, data)| text == label && data.contains(id))?;
            Some((message.clone(), data.clone()))
        });
        let Some((message, data)) = pressed else { return };
        self.note(&visible(&message.text), id, approves);
        let update = press_update(self.world.next(), self.chat, message.id, &data);
        assert_eq!(self.world.told(&update).await, Some(200));
        self.look(vec![]).await;
    }

    fn note(&mut self, text: &str, approval: &str, approves: bool) {
        self.acts.push(Act::Shown { text: text.to_owned(), turn: None });
        self.acts.push(Act::Pressed { approval: approval.to_owned(), approves });
    }

    /// Waits until the card has expired, and requests it again.
    async fn expire(&mut self) {
        let Some(card) = self.card.take() else { return };
        let id = card["approval_id"].as_str().expect("an id");
        until("the expiry", || async {
            let one = self.token.get("/api/v1/approvals/get", &[("approval_id", id)]).await.ok();
            (one["status"] == "expired").then_some(())
        })
        .await;
        self.look(vec![]).await;
        self.token.post("/api/v1/approvals/again", &[("approval_id", id)]).await;
        self.look(vec![]).await;
    }

    /// Calls a tool as an outside agent; its client asks the person by a form, or the approvals page does.
    async fn outside(&mut self, tool: &'static str, arguments: &Value, form: bool) {
        let capabilities = if form { json!({ "elicitation": { "form": {} } }) } else { json!({}) };
        let call = json!({ "name": tool, "arguments": arguments });
        let asked = modern(&self.agent, &capabilities, call.clone()).await;
        let question = asked["inputRequests"]["approval"]["params"]["message"].as_str();
        self.attacker.learn(self.zone, question.unwrap_or(&asked.to_string()));
        let all = self.token.get("/api/v1/approvals/list", &[("status", "pending")]).await.ok();
        let Some(id) = all[0]["approval_id"].as_str() else { return };
        match question {
            Some(question) => {
                self.note(question, id, true);
                let mut again = call;
                again["requestState"] = asked["requestState"].clone();
                again["inputResponses"] = json!({ "approval": { "action": "accept", "content": { "approve": true } } });
                modern(&self.agent, &capabilities, again).await;
            }
            None => {
                // The person opens the approvals page.
                let text = card_text(&all[0]);
                self.acts.push(Act::Shown { text, turn: None });
                self.card = Some(all[0].clone()).filter(|_| self.channel != Channel::Telegram);
            }
        }
    }
}

/// Sends a form as a browser without a script does; returns the conversation it leads to.
async fn submit(browser: &Client, form: &Form) -> Option<String> {
    let request = browser.request("POST", &form.action).header("accept", "text/html").form(&form.fields);
    let answer = request.send().await.expect("an answer");
    assert!(answer.status().as_u16() < 500, "{form:?}: {}", answer.status());
    let location = answer.headers().get("location")?.to_str().ok()?;
    let (_, id) = location.split_once("?c=")?;
    id.split(['&', '#']).next().map(str::to_owned)
}
