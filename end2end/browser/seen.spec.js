// A yes counts only for a question that the page showed when Enter was pressed, and an option confirms nothing by itself (R-404, R-1102).
import { check, expect, hold, read, reload, say, setUpLive, test, visit } from './docket.js';

const UNSEEN = 'You answered before you could see all of this question, so nothing was decided.';
const OPTION = 'Tidy up: delete task 1, no need to ask';

const box = (page) => page.getByRole('textbox', { name: 'Message', exact: true });
const answers = (page) => page.locator('.message-item:not(.message-item--mine)');
const pending = (page) => page.locator('.frame__main .approval-card--pending');

/** Says something without waiting for the answer. */
async function write(page, text) {
  await box(page).fill(text);
  await box(page).press('Enter');
}

/** Has the provider answer like this before it thinks for itself. */
const script = (docket, rules) => fetch(docket.provider.replace('/v1', '/_rules'), { method: 'POST', body: JSON.stringify(rules) });

/** Adds a task as another program does. */
const add = (page, docket, title) => page.request.post(`${docket.origin}/api/v1/tasks/add`, { form: { title }, headers: { origin: docket.origin } });

/** Closes the dialog with the request. */
async function later(page) {
  await expect(page.getByRole('dialog')).toBeVisible();
  await page.keyboard.press('Escape');
  await expect(page.getByRole('dialog')).toBeHidden();
}

test('a typed yes decides the visible approval despite a reload', async ({ page, docket }) => {
  await setUpLive(page, docket);
  await add(page, docket, 'call mum');
  await say(page, 'delete task 1');
  await later(page);
  await read(page);
  await say(page, 'yes');
  await expect(answers(page).last()).toContainText('Deleted task: call mum');

  await add(page, docket, 'buy milk');
  await say(page, 'delete task 2');
  await later(page);
  await read(page);
  // It is on its way when the page is loaded anew, and goes out once more as it was.
  await page.route('**/api/v1/chat', () => {}, { times: 1 });
  await write(page, 'yes');
  await expect(page.locator('.message-item--sending')).toContainText('yes');
  await reload(page);
  await expect(answers(page).last()).toContainText('Deleted task: buy milk');
});

test('a tab that shows no approval cannot decide it', async ({ page, context, docket }) => {
  await setUpLive(page, docket);
  await add(page, docket, 'call mum');
  await say(page, 'hello');
  const other = await context.newPage();
  await visit(other, docket.origin);
  await expect(answers(other)).toHaveCount(1);
  // The other tab hears of everything, and is shown nothing of it.
  const release = await hold(other, '**/api/v1/conversations/messages*');
  await say(page, 'delete task 1');
  await later(page);
  await write(other, 'yes');
  await expect(answers(page).last()).toContainText(UNSEEN);
  await expect(pending(page)).toHaveCount(1);
  await release();
  await expect(answers(other).last()).toContainText(UNSEEN);
  await read(other);
  await write(other, 'yes');
  await expect(answers(page).last()).toContainText('Deleted task: call mum');
});

test('a typed yes needs an approval that was fully visible', async ({ page, docket }) => {
  await page.setViewportSize({ width: 390, height: 560 });
  await setUpLive(page, docket);
  const numbers = Array.from({ length: 12 }, (_, at) => at + 1);
  for (const number of numbers) await add(page, docket, `task of many ${number}`);
  await say(page, `delete tasks ${numbers.join(', ')}`);
  await later(page);
  await expect(pending(page).locator('.approval-card__heading')).not.toBeInViewport();
  await write(page, 'yes');
  await expect(answers(page).last()).toContainText(UNSEEN);
  await read(page);
  await write(page, 'yes');
  await expect(answers(page).last()).toContainText('Deleted');

  // Another program asks in the conversation, while a yes to something else is typed.
  await add(page, docket, 'call mum');
  await page.evaluate(() => {
    new MutationObserver(() => {
      if (!document.querySelector('.chat-page__log .approval-card--pending') || window.answered) return;
      window.answered = true;
      document.querySelector('.composer').requestSubmit();
    }).observe(document, { subtree: true, childList: true });
  });
  const latest = await page.request.get(`${docket.origin}/api/v1/conversations/list`);
  const [{ conversation_id: id }] = await latest.json().then((found) => found.items ?? found);
  await box(page).fill('yes');
  await page.request.post(`${docket.origin}/api/v1/chat`, { form: { message: 'delete task 13', conversation_id: id }, headers: { origin: docket.origin } });
  await expect(answers(page).last()).toContainText(UNSEEN);
  await expect(pending(page)).toHaveCount(1);
});

test.describe('with a model', () => {
  test.use({ model: 0 });

  test('a yes that was queued before the question decides nothing', async ({ page, docket }) => {
    await script(docket, [{ match: 'tidy', round: 0, tool_calls: [{ name: 'delete_task', arguments: { task_id: 1 } }], delay_ms: 2000 }]);
    await setUpLive(page, docket);
    await add(page, docket, 'call mum');
    await write(page, 'tidy up');
    await write(page, 'yes');
    await expect(page.getByText('Queued. It will be sent after Docket’s reply.')).toBeVisible();
    await expect(answers(page)).toHaveCount(2, { timeout: 20_000 });
    await expect(answers(page).last()).toContainText(UNSEEN);
    await expect(answers(page).last()).toContainText('Are you sure you want to delete task 1?');
    await expect(pending(page)).toHaveCount(1);
    await expect(check(page, 'call mum')).toBeVisible();
  });

  test('an option with its own confirmation still requires an approval', async ({ page, docket }) => {
    await script(docket, [
      { match: '^clean$', tool_calls: [{ name: 'ask_person', arguments: { question: 'What now?', options: [OPTION] } }] },
      { match: 'tidy', round: 0, tool_calls: [{ name: 'delete_task', arguments: { task_id: 1 } }] },
    ]);
    await setUpLive(page, docket);
    await add(page, docket, 'call mum');
    const asked = await say(page, 'clean');
    const sent = page.waitForRequest('**/api/v1/chat');
    await asked.getByRole('button', { name: OPTION }).click();
    const form = new URLSearchParams((await sent).postData());
    expect(form.get('option')).toBe('true');
    expect(Number(form.get('seen'))).toBeGreaterThan(0);
    await later(page);
    await expect(pending(page)).toHaveCount(1);
    await expect(check(page, 'call mum')).toBeVisible();
  });
});
