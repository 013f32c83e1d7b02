// What is written and not answered yet: drafts that stay with their conversation, one message that waits for the turn before it, and
// what the composer says when a message cannot go out.
import { arrived, check, expect, hold, live, PASSWORD, reload, say, setUpLive, test, visit } from './docket.js';

const box = (page) => page.getByRole('textbox', { name: 'Message', exact: true });
const mine = (page) => page.locator('.message-item--mine .message-item__text');
const answers = (page) => page.locator('.message-item:not(.message-item--mine)');
const hint = (page) => page.locator('#composer-hint');
const send = (page) => page.getByRole('button', { name: 'Send', exact: true });

/** Has the provider answer like this before it thinks for itself. */
const script = (docket, rules) => fetch(docket.provider.replace('/v1', '/_rules'), { method: 'POST', body: JSON.stringify(rules) });

/** Two conversations; the second one is open. What leads to each. */
async function two(page, docket) {
  await setUpLive(page, docket);
  await say(page, 'add buy milk');
  await visit(page, `${docket.origin}/?c=new`);
  await say(page, 'add call mum');
  const rail = page.getByRole('navigation', { name: 'Conversations' });
  return ['add buy milk', 'add call mum'].map((name) => rail.getByRole('link', { name }));
}

/** What the browser keeps of drafts. */
const drafts = (page) => page.evaluate(() => Object.keys(localStorage).filter((key) => key.startsWith('docket-draft')).length);

test('a draft stays with its conversation until it is sent', async ({ page, docket }) => {
  const [milk, mum] = await two(page, docket);
  await box(page).fill('about mum');
  await milk.click();
  await expect(mine(page)).toHaveText('add buy milk');
  await expect(box(page)).toHaveValue('');
  await box(page).fill('about milk\nand more');
  await mum.click();
  await expect(box(page)).toHaveValue('about mum');
  await reload(page);
  await expect(box(page)).toHaveValue('about mum');
  await milk.click();
  await expect(box(page)).toHaveValue('about milk\nand more');
  await page.getByRole('link', { name: 'New conversation' }).first().click();
  await expect(box(page)).toHaveValue('');
  // Without a conversation in the address the latest one opens, with its draft.
  await visit(page, docket.origin);
  await expect(box(page)).toHaveValue('about mum');
  await box(page).fill('show my tasks');
  await send(page).click();
  await expect(answers(page)).toHaveCount(2);
  await expect(box(page)).toHaveValue('');
  await reload(page);
  await expect(box(page)).toHaveValue('');
  await expect.poll(() => drafts(page), 'only the other one is kept').toBe(1);
});

test('Shift and Enter begin a line, and send nothing', async ({ page, docket }) => {
  await setUpLive(page, docket);
  await box(page).fill('add buy milk');
  await box(page).press('Shift+Enter');
  await box(page).pressSequentially('and bread');
  await expect(box(page)).toHaveValue('add buy milk\nand bread');
  await expect(mine(page)).toHaveCount(0);
});

test('an approval opens a dialog unless the user is typing', async ({ page, docket }) => {
  await setUpLive(page, docket);
  await say(page, 'add buy milk');
  const card = page.getByRole('log').locator('.approval-card');
  const release = await hold(page, '**/api/v1/chat');
  await box(page).fill('delete task 1');
  await box(page).press('Enter');
  await box(page).pressSequentially('by the way');
  release();
  await expect(card).toBeVisible();
  await arrived(page);
  await expect(page.getByRole('dialog')).toBeHidden();
  await expect(box(page)).toBeFocused();
  await expect(box(page)).toHaveValue('by the way');

  await box(page).fill('delete task 1');
  await box(page).press('Enter');
  await expect(page.getByRole('dialog')).toBeVisible();
  await page.getByRole('dialog').getByRole('button', { name: 'Decide later' }).click();
  await expect(page.getByRole('dialog')).toBeHidden();
  await expect(box(page)).toBeFocused();
});

test('a draft survives the creation of its conversation', async ({ page, docket }) => {
  await setUpLive(page, docket);
  await page.route('**/api/v1/chat', async (route) => {
    await expect(box(page)).toHaveValue('and another thing');
    await route.continue();
  });
  await box(page).fill('add buy milk');
  await box(page).press('Enter');
  await box(page).pressSequentially('and another thing');
  await expect(answers(page)).toHaveCount(1);
  await arrived(page);
  await expect(box(page)).toHaveValue('and another thing');
  await page.getByRole('link', { name: 'New conversation' }).first().click();
  await expect(box(page)).toHaveValue('');
  await page.getByRole('navigation', { name: 'Conversations' }).getByRole('link', { name: 'add buy milk' }).click();
  await expect(box(page)).toHaveValue('and another thing');
});

test('each new conversation started from another is created separately', async ({ page, docket }) => {
  await setUpLive(page, docket);
  const rail = page.getByRole('navigation', { name: 'Conversations' });
  for (const text of ['add buy milk', 'add call mum', 'add pay rent']) {
    await page.getByRole('link', { name: 'New conversation' }).first().click();
    await expect(mine(page)).toHaveCount(0);
    await expect(page).toHaveURL(`${docket.origin}/?c=new`);
    await say(page, text);
    await expect(mine(page)).toHaveText([text]);
    await expect(rail.getByRole('link', { name: text })).toHaveAttribute('aria-current', 'true');
    await expect(page).not.toHaveURL(/c=new/);
  }
  for (const text of ['add buy milk', 'add call mum', 'add pay rent']) await expect(rail.getByRole('link', { name: text })).toHaveCount(1);
});

test('a message sent after navigation does not replace the last', async ({ page, docket }) => {
  await setUpLive(page, docket);
  const main = page.getByRole('navigation', { name: 'Main' });
  for (const [at, text] of ['add buy milk', 'add call mum'].entries()) {
    await say(page, text);
    await expect(mine(page)).toHaveCount(at + 1);
    await main.getByRole('link', { name: 'Tasks' }).click();
    await expect(check(page, text.replace('add b', 'B').replace('add c', 'C'))).toBeVisible();
    await main.getByRole('link', { name: 'Chat' }).click();
    await expect(mine(page)).toHaveCount(at + 1);
  }
});

test.describe('when a message fails', () => {
  test.use({ expected: [/ERR_FAILED/] });

  test('a message that fails after navigation offers a retry', async ({ page, docket }) => {
    await setUpLive(page, docket);
    await say(page, 'add call mum');
    let fail;
    const asked = new Promise((resolve) => {
      page.route('**/api/v1/chat', async (route) => {
        await new Promise((go) => { fail = go; resolve(); });
        await route.abort();
      }, { times: 1 });
    });
    await box(page).fill('add buy milk');
    await box(page).press('Enter');
    await asked;
    const main = page.getByRole('navigation', { name: 'Main' });
    await main.getByRole('link', { name: 'Tasks' }).click();
    await expect(page.getByRole('heading', { level: 1, name: 'Tasks' })).toBeVisible();
    fail();
    await expect(page.getByRole('alert').filter({ hasText: 'A chat message could not be sent. Open the chat to send it again.' })).toBeVisible();
    await main.getByRole('link', { name: 'Chat' }).click();
    await expect(mine(page)).toHaveText(['add call mum', 'add buy milk']);
    await expect(box(page)).toHaveValue('');
    await page.getByRole('button', { name: 'Try again' }).click();
    await expect(check(page, 'Buy milk')).toBeVisible();
    await expect(answers(page)).toHaveCount(2);
    await expect.poll(() => drafts(page)).toBe(0);
  });

  test('unsent text stays with its conversation across a reload elsewhere', async ({ page, docket }) => {
    const [milk, mum] = await two(page, docket);
    await page.route('**/api/v1/chat', (route) => route.abort(), { times: 1 });
    await box(page).fill('not lost');
    await box(page).press('Enter');
    await expect(page.getByRole('button', { name: 'Try again' })).toBeVisible();
    await box(page).fill('nor this');
    await milk.click();
    await expect(mine(page)).toHaveText('add buy milk');
    await reload(page);
    await expect(box(page)).toHaveValue('');
    await mum.click();
    await expect(mine(page)).toHaveText('add call mum');
    await expect(box(page)).toHaveValue('not lost\nnor this');
    await milk.click();
    await expect(box(page)).toHaveValue('');
    await mum.click();
    await expect(box(page)).toHaveValue('not lost\nnor this');
  });

  test('a failed message stays pending after a switch of conversations', async ({ page, docket }) => {
    const [milk, mum] = await two(page, docket);
    await page.route('**/api/v1/chat', (route) => route.abort(), { times: 1 });
    await box(page).fill('not lost');
    await box(page).press('Enter');
    await expect(page.getByRole('button', { name: 'Try again' })).toBeVisible();
    await milk.click();
    await expect(page.getByRole('button', { name: 'Try again' })).toHaveCount(0);
    await mum.click();
    await expect(mine(page)).toHaveText(['add call mum', 'not lost']);
    await expect(box(page)).toHaveValue('');
  });
});

test('text typed before hydration is appended to the stored draft', async ({ page, docket }) => {
  await setUpLive(page, docket);
  await box(page).fill('an old draft');
  let go;
  const held = new Promise((resolve) => { go = resolve; });
  await page.route('**/docket.wasm', async (route) => { await held; await route.continue(); });
  await page.reload({ waitUntil: 'commit' });
  await box(page).fill('typed early');
  go();
  await live(page);
  await expect(box(page)).toHaveValue('an old draft\ntyped early');
  await reload(page);
  await expect(box(page)).toHaveValue('an old draft\ntyped early');
});

test.describe('at the end', () => {
  test.use({ expected: [/ERR_FAILED|Failed to fetch/] });

  for (const scripted of [true, false]) test(`signing out ${scripted ? 'with' : 'before'} the script forgets every draft`, async ({ page, docket }) => {
    await setUpLive(page, docket);
    await box(page).fill('a secret');
    expect(await drafts(page)).toBe(1);
    if (!scripted) {
      await page.route('**/docket.wasm', (route) => route.abort());
      await page.reload({ waitUntil: 'commit' });
    }
    await page.getByRole('button', { name: 'Sign out' }).click();
    await expect(page).toHaveURL(/\/sign-in/);
    await expect.poll(() => drafts(page)).toBe(0);
    await page.unrouteAll();
    await page.getByLabel('Name').fill('ada');
    await page.getByLabel('Password').fill(PASSWORD);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await live(page);
    await expect(box(page)).toHaveValue('');
  });
});

test.describe('while a turn runs', () => {
  test.use({ model: 0 });

  /** A turn that is under way until it is stopped, or for a while. */
  async function running(page, docket, delay) {
    await script(docket, [{ match: '^think$', text: 'Thought.', delay_ms: delay }, { match: '^then$', text: 'Then this.' }]);
    await setUpLive(page, docket);
    await box(page).fill('think');
    await box(page).press('Enter');
    await expect(page.locator('.working').getByRole('button', { name: 'Stop' })).toBeVisible();
  }

  test('one message is queued and sent when the turn ends', async ({ page, docket }) => {
    await running(page, docket, 8000);
    await box(page).fill('then');
    await box(page).press('Enter');
    await expect(page.getByText('Queued. It will be sent after Docket’s reply.')).toBeVisible();
    await expect(box(page)).toHaveValue('');
    // There is room for one.
    await box(page).fill('too much');
    await box(page).press('Enter');
    await expect(box(page)).toHaveValue('too much');
    await expect(hint(page)).toContainText('A message is already queued.');
    await expect(send(page)).toHaveAttribute('aria-disabled', 'true');
    await expect(answers(page)).toHaveText([/Thought\./, /Then this\./], { timeout: 20_000 });
    await expect(mine(page)).toHaveText(['think', 'then']);
    await expect(page.getByText(/^Queued/)).toHaveCount(0);
    await expect(box(page)).toHaveValue('too much');
    await expect(hint(page)).not.toContainText('A message is already queued.');
  });

  test('a queued message is sent after navigation', async ({ page, docket }) => {
    await running(page, docket, 8000);
    await box(page).fill('then');
    await box(page).press('Enter');
    await expect(page.getByText('Queued. It will be sent after Docket’s reply.')).toBeVisible();
    // Nothing more is being written, so nothing is said of that.
    await expect(hint(page)).not.toContainText('A message is already queued.');
    const sent = page.waitForRequest('**/api/v1/chat');
    const main = page.getByRole('navigation', { name: 'Main' });
    await main.getByRole('link', { name: 'Tasks' }).click();
    await expect(page.getByRole('heading', { level: 1, name: 'Tasks' })).toBeVisible();
    await sent;
    await main.getByRole('link', { name: 'Chat' }).click();
    await expect(answers(page)).toHaveText([/Thought\./, /Then this\./], { timeout: 20_000 });
    await expect(mine(page)).toHaveText(['think', 'then']);
    await expect.poll(() => drafts(page)).toBe(0);
  });

  test('what waits can be taken back, and Stop sends it', async ({ page, docket }) => {
    await running(page, docket, 60_000);
    await box(page).fill('then');
    await box(page).press('Enter');
    await box(page).fill('more');
    await page.getByRole('button', { name: 'Edit message' }).click();
    await expect(page.getByText(/^Queued/)).toHaveCount(0);
    await expect(box(page)).toHaveValue('then\nmore');
    await expect(box(page)).toBeFocused();
    await box(page).fill('then');
    await box(page).press('Enter');
    await page.getByRole('button', { name: 'Stop' }).click();
    await expect(mine(page)).toHaveText(['think', 'then']);
    await expect(answers(page).last()).toHaveText(/Then this\./);
  });

  test('queued text survives a reload and stays in its conversation', async ({ page, docket }) => {
    await running(page, docket, 60_000);
    await box(page).fill('then');
    await box(page).press('Enter');
    await box(page).fill('half');
    await page.getByRole('link', { name: 'New conversation' }).first().click();
    await expect(page.getByText(/^Queued/)).toHaveCount(0);
    await expect(box(page)).toHaveValue('');
    await visit(page, docket.origin);
    await expect(box(page)).toHaveValue('then\nhalf');
  });
});

test('a message over the length limit is refused without truncation', async ({ page, docket }) => {
  await setUpLive(page, docket);
  await box(page).fill('x'.repeat(8003));
  await expect(page.getByText('3 characters over the limit')).toBeVisible();
  await expect(box(page)).toHaveAttribute('aria-invalid', 'true');
  await expect(send(page)).toHaveAttribute('aria-disabled', 'true');
  await box(page).press('Enter');
  await expect(mine(page)).toHaveCount(0);
  await expect(box(page)).toHaveValue('x'.repeat(8003));
  await box(page).fill('show my tasks');
  await send(page).click();
  await expect(answers(page)).toHaveCount(1);
});

test('Enter that ends a composition does not send', async ({ page, docket }) => {
  await setUpLive(page, docket);
  await box(page).fill('買い物');
  await box(page).evaluate((input) => input.dispatchEvent(new KeyboardEvent('keydown', { key: 'Enter', bubbles: true, isComposing: true })));
  await expect(box(page)).toHaveValue('買い物');
  await expect(mine(page)).toHaveCount(0);
  await box(page).press('Enter');
  await expect(mine(page)).toHaveText(['買い物']);
});

test('the composer states that rules answer and links to settings', async ({ page, docket }) => {
  await setUpLive(page, docket);
  await expect(page.getByText('Basic mode: built-in rules, no model.')).toBeVisible();
  await page.locator('.composer__basic').getByRole('link', { name: 'Settings' }).click();
  await expect(page.getByRole('heading', { level: 1, name: 'Settings' })).toBeVisible();
});

test.describe('over the limit', () => {
  test.use({ limit: 2, expected: [/status of 429/] });

  test('a rate limited message is kept and can be edited', async ({ page, docket }) => {
    await setUpLive(page, docket);
    await say(page, 'add buy milk');
    await say(page, 'add call mum');
    await box(page).fill('add pay rent');
    await box(page).press('Enter');
    await expect(page.getByRole('alert').filter({ hasText: 'You are sending messages too quickly' })).toBeVisible();
    await expect(mine(page).last()).toHaveText('add pay rent');
    await page.getByRole('button', { name: 'Edit message' }).click();
    await expect(box(page)).toHaveValue('add pay rent');
    await expect(check(page, 'Pay rent')).toHaveCount(0);
  });
});

test.describe('cut off from a conversation', () => {
  test.use({ expected: [/ERR_FAILED/] });

  test('what is shown of one that has just begun stays', async ({ page, docket }) => {
    await setUpLive(page, docket);
    // The conversation is read before the answer to what began it tells which one to ask for from now on.
    let answer;
    const held = new Promise((resolve) => { answer = resolve; });
    await page.route('**/api/v1/chat', async (route) => {
      const response = await route.fetch();
      await held;
      await route.fulfill({ response });
    });
    await box(page).fill('add call mum');
    await box(page).press('Enter');
    await expect(answers(page)).toContainText(['Created task: call mum (#1)']);
    await page.route('**/api/v1/**', (route) => route.abort());
    answer();
    await expect(page.getByText('Connection lost. Trying again…')).toBeVisible();
    await expect(mine(page)).toHaveText(['add call mum']);
    await expect(answers(page)).toHaveCount(1);
    await expect(page.getByText('Docket cannot be reached.')).toHaveCount(0);
    await page.unroute('**/api/v1/**');
    await expect(page.getByText('Connection lost. Trying again…')).toBeHidden();
    await expect(mine(page)).toHaveText(['add call mum']);
  });
});

test.describe('without a connection', () => {
  test.use({ expected: [/ERR_(INTERNET_DISCONNECTED|NETWORK_CHANGED)/] });

  test('two offline messages are sent in order by one retry', async ({ page, context, docket }) => {
    await setUpLive(page, docket);
    await say(page, 'add call mum');
    await context.setOffline(true);
    await box(page).fill('add buy milk');
    await box(page).press('Enter');
    await expect(page.getByText('You are offline. Your text is saved.')).toBeVisible();
    await box(page).fill('add pay rent');
    await box(page).press('Enter');
    await expect(mine(page)).toHaveText(['add call mum', 'add buy milk', 'add pay rent']);
    await context.setOffline(false);
    await expect(page.getByText('You are offline.')).toHaveCount(0);
    await page.getByRole('button', { name: 'Try again' }).click();
    await expect(check(page, 'Pay rent')).toBeVisible();
    await expect(mine(page)).toHaveText(['add call mum', 'add buy milk', 'add pay rent']);
    await expect(answers(page)).toHaveCount(3);
    await expect.poll(() => drafts(page)).toBe(0);
  });
});
