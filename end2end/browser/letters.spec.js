// Messages on their way, while their reader begins another conversation, comes to one that is not known yet, or loads the page anew.
import { check, expect, live, say, setUp, setUpLive, test, visit } from './docket.js';

const box = (page) => page.getByRole('textbox', { name: 'Message', exact: true });
const mine = (page) => page.locator('.message-item--mine .message-item__text');
const answers = (page) => page.locator('.message-item:not(.message-item--mine)');
const another = (page) => page.getByRole('link', { name: 'New conversation' }).first();
const main = (page, name) => page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name });
const thread = (page, name) => page.getByRole('navigation', { name: 'Conversations' }).getByRole('link', { name });

/** Says something without waiting for the answer. */
async function write(page, text) {
  await box(page).fill(text);
  await box(page).press('Enter');
}

/** What the browser keeps of drafts and of messages on their way. */
const drafts = (page) => page.evaluate(() => Object.keys(localStorage).filter((key) => key.startsWith('docket-draft')).length);

/** Stops the next request to `where`: `asked` resolves when it is there, and `go` does with it what is to be done. */
async function stop(page, where) {
  let tell;
  const held = { asked: new Promise((resolve) => { tell = resolve; }) };
  await page.route(where, (route) => new Promise((done) => {
    held.go = async (what = (it) => it.continue()) => { await what(route); done(); };
    tell();
  }), { times: 1 });
  return held;
}

/** A conversation whose first message is on its way. */
async function begun(page, docket, from = '/?c=new') {
  await setUp(page, docket);
  await visit(page, docket.origin + from);
  const first = await stop(page, '**/api/v1/chat');
  await write(page, 'add buy milk');
  await first.asked;
  return first;
}

for (const from of ['/', '/?c=new']) test(`a new conversation behind one from ${from} that has not begun is another one`, async ({ page, docket }) => {
  const first = await begun(page, docket, from);
  await expect(mine(page)).toHaveText(['add buy milk']);
  await another(page).click();
  await expect(mine(page)).toHaveCount(0);
  await say(page, 'add call mum');
  await expect(mine(page)).toHaveText(['add call mum']);
  await first.go();
  await expect(thread(page, 'add buy milk')).toBeVisible();
  await expect(check(page, 'Buy milk')).toBeVisible();
  await expect(mine(page)).toHaveText(['add call mum']);
  await thread(page, 'add buy milk').click();
  await expect(mine(page)).toHaveText(['add buy milk']);
  await expect(answers(page)).toHaveCount(1);
  await expect.poll(() => drafts(page)).toBe(0);
});

test.describe('when it fails', () => {
  test.use({ expected: [/ERR_FAILED/] });

  test('an unsent new conversation reappears as the next new conversation', async ({ page, docket }) => {
    const first = await begun(page, docket);
    await another(page).click();
    await say(page, 'add call mum');
    await first.go((route) => route.abort());
    await expect(page.getByRole('alert').filter({ hasText: 'A chat message could not be sent. Open the chat to send it again.' })).toBeVisible();
    await expect(mine(page)).toHaveText(['add call mum']);
    await another(page).click();
    await expect(mine(page)).toHaveText(['add buy milk']);
    await expect(box(page)).toHaveValue('');
    await page.getByRole('button', { name: 'Try again' }).click();
    await expect(thread(page, 'add buy milk')).toHaveAttribute('aria-current', 'true');
    await expect(answers(page)).toHaveCount(1);
    await thread(page, 'add call mum').click();
    await expect(mine(page)).toHaveText(['add call mum']);
    await expect.poll(() => drafts(page)).toBe(0);
  });
});

test('a message sent before its conversation loads reaches that conversation', async ({ page, docket }) => {
  await setUpLive(page, docket);
  await say(page, 'add buy milk');
  for (const [at, leaves] of [false, true].entries()) {
    const text = ['add call mum', 'add pay rent'][at];
    await main(page, 'Tasks').click();
    await expect(page.getByRole('heading', { level: 1, name: 'Tasks' })).toBeVisible();
    const read = await stop(page, '**/api/v1/conversations/messages*');
    await main(page, 'Chat').click();
    await read.asked;
    await write(page, text);
    await expect(mine(page)).toHaveText([text]);
    await expect(box(page)).toHaveValue('');
    await box(page).fill('half a thought');
    if (leaves) {
      await main(page, 'Tasks').click();
      await expect(page.getByRole('heading', { level: 1, name: 'Tasks' })).toBeVisible();
      await main(page, 'Chat').click();
    }
    await read.go();
    await expect(mine(page)).toHaveText(['add buy milk', 'add call mum', 'add pay rent'].slice(0, at + 2));
    await expect(answers(page)).toHaveCount(at + 2);
    await expect(box(page)).toHaveValue('half a thought');
    await box(page).fill('');
  }
  await expect(thread(page, 'add buy milk')).toHaveCount(1);
  await expect(thread(page, /call mum|pay rent/)).toHaveCount(0);
  await expect.poll(() => drafts(page)).toBe(0);
});

test('a new conversation in another tab shows no pending message', async ({ page, context, docket }) => {
  const first = await begun(page, docket);
  const other = await context.newPage();
  await visit(other, `${docket.origin}/?c=new`);
  await other.reload();
  await live(other);
  await expect(mine(other)).toHaveCount(0);
  await say(other, 'add call mum');
  await expect(mine(other)).toHaveText(['add call mum']);
  await first.go();
  await expect(mine(page)).toHaveText(['add buy milk']);
  for (const tab of [page, other]) for (const name of ['add buy milk', 'add call mum']) await expect(thread(tab, name)).toHaveCount(1);
  await expect(check(page, 'Buy milk')).toHaveCount(1);
  await expect.poll(() => drafts(page)).toBe(0);
});

for (const arrived of [false, true]) test.describe(`on its way when the page is loaded anew, and ${arrived ? 'has arrived' : 'lost'}`, () => {
  /** Sends a message whose answer does not come before the page is loaded anew at `again`. */
  async function reload(page, text, again) {
    const sent = await stop(page, '**/api/v1/chat');
    await write(page, text);
    await sent.asked;
    await write(page, 'add pay rent');
    await expect(page.getByText('Queued. It will be sent after Docket’s reply.')).toBeVisible();
    if (arrived) await sent.go((route) => route.fetch());
    await again();
    await live(page);
  }

  test('a message is sent, once', async ({ page, docket }) => {
    await setUpLive(page, docket);
    await say(page, 'add call mum');
    await reload(page, 'add buy milk', () => page.reload());
    await expect(mine(page)).toHaveText(['add call mum', 'add buy milk']);
    await expect(answers(page)).toHaveCount(2);
    await expect(check(page, 'Buy milk')).toHaveCount(1);
    await expect(box(page), 'what waited behind it').toHaveValue('add pay rent');
    await box(page).fill('');
    await expect.poll(() => drafts(page)).toBe(0);
  });

  test('a message begins its conversation, once', async ({ page, docket }) => {
    await setUp(page, docket);
    await visit(page, `${docket.origin}/?c=new`);
    await reload(page, 'add buy milk', () => page.reload());
    await expect(thread(page, 'add buy milk')).toHaveAttribute('aria-current', 'true');
    await expect(mine(page)).toHaveText(['add buy milk']);
    await expect(answers(page)).toHaveCount(1);
    await expect(box(page)).toHaveValue('add pay rent');
    await box(page).fill('');
    await expect.poll(() => drafts(page)).toBe(0);
    await expect(thread(page, /add/)).toHaveCount(1);
  });

  test('a message is sent from any page', async ({ page, docket }) => {
    await setUpLive(page, docket);
    await reload(page, 'add buy milk', async () => {
      // The stream tells that its turn is over, so that what waits goes out.
      if (arrived) await expect(check(page, 'Pay rent')).toBeVisible();
      await page.goto(`${docket.origin}/tasks`);
    });
    await expect(check(page, 'Buy milk')).toHaveCount(1);
    await expect(check(page, 'Pay rent')).toHaveCount(arrived ? 1 : 0);
    await expect.poll(() => drafts(page), 'what waited behind it').toBe(arrived ? 0 : 1);
    await (arrived ? thread(page, 'add buy milk') : another(page)).click();
    await expect(box(page)).toHaveValue(arrived ? '' : 'add pay rent');
    await expect(mine(page)).toHaveText(arrived ? ['add buy milk', 'add pay rent'] : []);
  });
});
