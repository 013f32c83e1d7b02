// What a turn offers beside its words: choices as buttons, how far it is, going on after the last step, and taking it back.
import { barriers } from './axe.js';
import { check, expect, live, say, setUp, setUpLive, test, visit } from './docket.js';

const answers = (page) => page.locator('.message-item:not(.message-item--mine)');

/** Has the provider answer like this before it thinks for itself. */
const script = (docket, rules) => fetch(docket.provider.replace('/v1', '/_rules'), { method: 'POST', body: JSON.stringify(rules) });

for (const scripted of [true, false]) {
  test.describe(scripted ? 'with a script' : 'without a script', () => {
    test.use({ javaScriptEnabled: scripted });

    test('an offered choice is sent and executed by its button', async ({ page, docket }) => {
      await setUp(page, docket);
      if (scripted) await live(page);
      const asked = await say(page, 'groceries');
      const choices = asked.getByRole('group', { name: 'Choices' }).getByRole('button');
      const choice = choices.filter({ hasText: /^add/i }).first();
      const words = await choice.textContent();
      await choice.click();
      await expect(answers(page)).toHaveCount(2);
      await expect(page.locator('.message-item--mine').last()).toContainText(words);
      await expect(answers(page).last()).toContainText(/Created task: groceries/i);
      await expect(check(page, 'Groceries')).toBeVisible();
      await expect(page.getByRole('group', { name: 'Choices' }), 'they are offered once').toHaveCount(0);
    });
  });
}

test.describe('with a model', () => {
  test.use({ model: 0 });

  test('a failed tool call has its own receipt without Undo', async ({ page, docket }) => {
    const complete = (task_id, round) => ({ match: 'finish', round, tool_calls: [{ name: 'complete_task', arguments: { task_id } }] });
    await script(docket, [complete(1, 0), complete(99, 1), { match: 'finish', round: 2, text: 'There is no task 99.' }]);
    await setUpLive(page, docket);
    await page.request.post(`${docket.origin}/api/v1/tasks/add`, { form: { title: 'call mum' }, headers: { origin: docket.origin } });
    await say(page, 'finish both');
    const receipts = answers(page).last().locator('.receipt-line');
    await expect(receipts).toHaveCount(2);
    await expect(receipts.nth(0)).toHaveClass(/receipt-line--done/);
    await expect(receipts.nth(1)).toHaveClass(/receipt-line--(failed|unchanged)/);
    await expect(receipts.nth(1)).toContainText('99');
    await expect(receipts.nth(1).getByRole('button')).toHaveCount(0);
    expect(await barriers(page)).toEqual([]);
  });

  test('a turn with several steps shows the current step', async ({ page, docket }) => {
    const titles = ['milk', 'eggs', 'bread'];
    const add = (title, round) => ({ match: 'shop', round, tool_calls: [{ name: 'add_task', arguments: { title } }] });
    await script(docket, [...titles.map(add), { match: 'shop', round: 3, text: 'All three are on your list.', delay_ms: 8000 }]);
    await setUpLive(page, docket);
    const working = page.locator('.working');
    await page.getByLabel('Message', { exact: true }).fill('shop');
    await page.getByRole('button', { name: 'Send' }).click();
    await expect(working).toContainText('step 3 of 5');
    await expect(answers(page)).toHaveCount(1, { timeout: 20_000 });
    await expect(working).toHaveCount(0);
    for (const title of titles) await expect(check(page, title)).toBeVisible();
  });

  test('a running turn is shown in its own conversation only', async ({ page, docket }) => {
    await script(docket, [{ match: 'ponder', text: 'Done with it.', delay_ms: 8000 }]);
    await setUpLive(page, docket);
    await say(page, 'hello');
    const working = page.locator('.working');
    await page.getByLabel('Message', { exact: true }).fill('ponder');
    await page.getByRole('button', { name: 'Send' }).click();
    await expect(working.getByRole('button', { name: 'Stop' })).toBeVisible();
    await page.getByRole('link', { name: 'New conversation' }).first().click();
    await expect(answers(page)).toHaveCount(0);
    await expect(working).toHaveCount(0);
    await page.getByRole('navigation', { name: 'Conversations' }).getByRole('link', { name: 'hello' }).click();
    await expect(working.getByRole('button', { name: 'Stop' })).toBeVisible();
    await expect(answers(page)).toHaveCount(2, { timeout: 20_000 });
    await expect(working).toHaveCount(0);
  });

  test('a Continue button resumes a turn at its step limit', async ({ page, docket }) => {
    await script(docket, [{ match: '^Continue$', text: 'That was all.' }]);
    await setUpLive(page, docket);
    const stopped = await say(page, 'MOCK:loop show my tasks');
    expect(await barriers(page)).toEqual([]);
    await stopped.getByRole('button', { name: 'Continue' }).click();
    await expect(answers(page)).toHaveCount(2);
    await expect(page.locator('.message-item--mine').last()).toContainText('Continue');
    await expect(answers(page).last()).toContainText('That was all.');
    await expect(page.getByRole('button', { name: 'Continue' })).toHaveCount(0);
  });
});

/** Two tasks added by one turn, and its story beside the list of the record. */
async function recorded(page, docket) {
  await setUpLive(page, docket);
  await say(page, 'add milk and then add eggs');
  await visit(page, `${docket.origin}/audit`);
  await page.locator('.audit-row').filter({ hasText: 'add milk and then add eggs' }).click();
  return page.getByRole('complementary', { name: 'Turn' });
}

for (const [way, presses] of [['call by call', [/^Undo: .*eggs/, /^Undo: .*milk/]], ['at once', ['Undo all of this turn']]]) {
  test(`turn detail undoes its turn ${way} without reloading`, async ({ page, docket }) => {
    const entry = await recorded(page, docket);
    await page.evaluate(() => { window.same = true; });
    for (const [at, name] of presses.entries()) {
      await entry.getByRole('button', { name }).click();
      await expect(page.locator('.toast-region').getByRole('status')).toContainText(/milk|eggs/);
      const left = presses.length - 1 - at;
      await expect(entry.getByText('since undone')).toHaveCount(2 - left);
      await expect(entry.getByRole('button', { name: /^Undo: / })).toHaveCount(left);
    }
    expect(await page.evaluate(() => window.same), 'the page stayed').toBe(true);
    await page.goto(`${docket.origin}/tasks`);
    await expect(page.getByText('Your list is empty')).toBeVisible();
  });
}

test('a refresh of the turn detail keeps the keyboard focus', async ({ page, docket }) => {
  const entry = await recorded(page, docket);
  await expect(entry.locator('.story__headline')).toBeFocused();
  const text = page.locator('#audit-text');
  await text.focus();
  await page.request.post(`${docket.origin}/api/v1/undo/last`, { headers: { origin: docket.origin } });
  await expect(entry.getByText('since undone')).toHaveCount(2);
  await expect(text).toBeFocused();
});

test.describe('where something is in the way', () => {
  test.use({ expected: [/status of 409/] });

  test('the rest can be undone', async ({ page, docket }) => {
    const entry = await recorded(page, docket);
    const edited = { form: { task_id: '1', priority: 'high' }, headers: { origin: docket.origin } };
    await page.request.post(`${docket.origin}/api/v1/tasks/update`, edited);
    await entry.getByRole('button', { name: 'Undo all of this turn' }).click();
    const alert = page.getByRole('alert').filter({ hasText: 'Task #1 was edited by you since then' });
    await alert.getByRole('button', { name: 'Undo the rest' }).click();
    await expect(page.locator('.toast-region').getByRole('status')).toContainText(/Undone: “eggs”. Left: Task #1 was edited by you/);
    await expect(entry.getByText('since undone')).toHaveCount(1);
    await visit(page, `${docket.origin}/tasks`);
    await expect(check(page, 'milk')).toBeVisible();
    await expect(check(page, 'eggs')).toHaveCount(0);
  });
});
