// A press counts only for what its sender could see before it began: nothing is approved, deleted or undone by a key that is held down,
// or by a press that was meant for something else.
import { armed, check, expect, hold, live, say, setUp, setUpLive, test, visit } from './docket.js';

const box = (page) => page.getByLabel('Message', { exact: true });
const dialogOf = (page) => page.getByRole('dialog', { name: 'Approval request' });
const approve = (within) => within.getByRole('button', { name: 'Delete task' });
const keep = (within) => within.getByRole('button', { name: 'Keep task' });
const APPROVE = '.approval-dialog [data-keys="mod+enter"]';

/** Adds tasks as another program does. */
async function add(page, docket, ...titles) {
  for (const title of titles) await page.request.post(`${docket.origin}/api/v1/tasks/add`, { form: { title }, headers: { origin: docket.origin } });
}

/** The fields `name` of all forms that the page posts to a path. */
function posted(page, path, name) {
  const values = [];
  page.on('request', (request) => {
    if (request.method() === 'POST' && request.url().includes(path)) values.push(new URLSearchParams(request.postData()).get(name));
  });
  return values;
}

/** Presses what matches in each of these ways in the moment in which it can be seen first. */
const pressOnSight = (page, selector, ways) => page.addInitScript(([selector, ways]) => {
  const known = new WeakSet();
  window.pressed = 0;
  const look = () => {
    const found = document.querySelector(selector);
    if (!found?.checkVisibility() || known.has(found)) return;
    known.add(found);
    window.pressed += 1;
    const event = (Kind, type, more) => new Kind(type, { bubbles: true, cancelable: true, ...more });
    if (ways.includes('key')) document.activeElement.dispatchEvent(event(KeyboardEvent, 'keydown', { key: 'Enter', ctrlKey: true }));
    if (ways.includes('down') || ways.includes('pointer')) found.dispatchEvent(event(PointerEvent, 'pointerdown', { isPrimary: true }));
    if (ways.includes('pointer')) found.dispatchEvent(event(MouseEvent, 'click', { detail: 1 }));
    if (ways.includes('click')) found.click();
  };
  new MutationObserver(look).observe(document, { subtree: true, childList: true, attributes: true });
}, [selector, ways]);

test('Ctrl+Enter held down since the composer approves nothing', async ({ page, docket }) => {
  const verdicts = posted(page, '/approvals/decide', 'verdict');
  await setUpLive(page, docket);
  await add(page, docket, 'call mum');
  await box(page).fill('delete task 1');
  await page.keyboard.down('Control');
  // Each further `down` is a repeat of the key.
  await expect(async () => {
    await page.keyboard.down('Enter');
    await expect(keep(dialogOf(page))).toBeFocused({ timeout: 50 });
  }).toPass();
  for (let repeat = 0; repeat < 5; repeat += 1) await page.keyboard.down('Enter');
  await armed(approve(dialogOf(page)));
  for (let repeat = 0; repeat < 5; repeat += 1) await page.keyboard.down('Enter');
  await expect(keep(dialogOf(page))).toBeFocused();
  expect(verdicts).toEqual([]);
  await page.keyboard.up('Enter');
  await page.keyboard.press('Enter');
  await expect(page.locator('.approval-card--approved')).toBeVisible();
  await page.keyboard.up('Control');
  expect(verdicts).toEqual(['approve']);
});

for (const ways of [['key'], ['click'], ['pointer']]) {
  test(`a ${ways} while the approval dialog opens approves nothing`, async ({ page, docket }) => {
    const verdicts = posted(page, '/approvals/decide', 'verdict');
    await pressOnSight(page, APPROVE, ways);
    await setUpLive(page, docket);
    await add(page, docket, 'call mum');
    await say(page, 'delete task 1');
    await expect(keep(dialogOf(page))).toBeFocused();
    expect(await page.evaluate(() => window.pressed)).toBe(1);
    await (await armed(approve(dialogOf(page)))).click();
    await expect(page.locator('.approval-card--approved')).toBeVisible();
    expect(verdicts).toEqual(['approve']);
    await expect(check(page, 'call mum')).toHaveCount(0);
  });
}

test('a press begun before the button is armed approves nothing', async ({ page, docket }) => {
  const verdicts = posted(page, '/approvals/decide', 'verdict');
  await pressOnSight(page, APPROVE, ['down']);
  await setUpLive(page, docket);
  await add(page, docket, 'call mum');
  await say(page, 'delete task 1');
  const button = await armed(approve(dialogOf(page)));
  await button.evaluate((element) => element.dispatchEvent(new MouseEvent('click', { bubbles: true, cancelable: true, detail: 1 })));
  await expect(dialogOf(page)).toBeVisible();
  await keep(dialogOf(page)).click();
  await expect(page.locator('.approval-card--rejected')).toBeVisible();
  expect(verdicts).toEqual(['reject']);
});

test('a button moved under the pointer must be armed again', async ({ page, docket }) => {
  const verdicts = posted(page, '/approvals/decide', 'verdict');
  await setUpLive(page, docket);
  await add(page, docket, 'call mum');
  await say(page, 'delete task 1');
  await page.keyboard.press('Escape');
  await visit(page, `${docket.origin}/approvals`);
  const button = await armed(approve(page.locator('.frame__main')));
  await button.evaluate((element) => {
    document.querySelector('.page__lead').before(document.createElement('hr'));
    element.dispatchEvent(new PointerEvent('pointerdown', { bubbles: true, isPrimary: true }));
    element.dispatchEvent(new MouseEvent('click', { bubbles: true, cancelable: true, detail: 1 }));
  });
  await expect(button).toHaveAttribute('aria-disabled', 'true');
  expect(verdicts).toEqual([]);
  await (await armed(button)).click();
  await expect(page.locator('.approval-card--approved')).toBeVisible();
  expect(verdicts).toEqual(['approve']);
});

/** Asks for two deletions, the second one while the first one is on its way; the first one is in the dialog. */
async function askTwice(page, docket) {
  await setUpLive(page, docket);
  await add(page, docket, 'mone', 'mtwo');
  const release = await hold(page, '**/api/v1/chat');
  await box(page).fill('delete task 1');
  await box(page).press('Enter');
  await box(page).fill('delete task 2');
  await box(page).press('Enter');
  await expect(page.getByText('Queued. It will be sent after Docket’s reply.')).toBeVisible();
  // The request of the second message has been read by then.
  let read = 0;
  const both = page.waitForResponse((response) => response.url().includes('/approvals/get') && (read += 1) === 2);
  release();
  await both;
  await expect(page.getByRole('log').locator('.approval-card--pending')).toHaveCount(2);
  await expect(dialogOf(page)).toContainText('mone');
  await expect(dialogOf(page)).not.toContainText('mtwo');
}

test('an open approval dialog is followed by the next approval', async ({ page, docket }) => {
  const verdicts = posted(page, '/approvals/decide', 'verdict');
  await askTwice(page, docket);
  await keep(dialogOf(page)).click();
  await expect(dialogOf(page)).toContainText('mtwo');
  await keep(dialogOf(page)).click();
  await expect(dialogOf(page)).toBeHidden();
  await expect(page.locator('.approval-card--rejected')).toHaveCount(2);
  expect(verdicts).toEqual(['reject', 'reject']);
});

test('a request that was decided elsewhere meanwhile does not open', async ({ page, docket }) => {
  await askTwice(page, docket);
  const id = await page.getByRole('log').locator('.approval-card--pending').last().locator('input[name=approval_id]').first().inputValue();
  await page.request.post(`${docket.origin}/api/v1/approvals/decide`, { form: { approval_id: id, verdict: 'reject' }, headers: { origin: docket.origin } });
  const read = page.waitForResponse((response) => response.url().includes(`/approvals/get?approval_id=${id}`));
  await keep(dialogOf(page)).click();
  await read;
  await expect(page.locator('.approval-card--rejected')).toHaveCount(2);
  await expect(dialogOf(page)).toBeHidden();
});

test('a request that arrives moves no other one', async ({ page, docket }) => {
  await setUpLive(page, docket);
  await add(page, docket, 'mone', 'mtwo');
  await say(page, 'delete task 1');
  await visit(page, `${docket.origin}/approvals`);
  const cards = page.locator('.frame__main .approval-card--pending');
  const before = await approve(cards).boundingBox();
  await page.request.post(`${docket.origin}/api/v1/chat`, { form: { message: 'delete task 2' }, headers: { origin: docket.origin } });
  await expect(cards).toHaveCount(2);
  await expect(cards.first()).toContainText('mone');
  await expect(cards.last()).toContainText('mtwo');
  expect(await approve(cards.first()).boundingBox()).toEqual(before);
});

test('a toast appearing under the pointer ignores an earlier press', async ({ page, docket }) => {
  const undone = posted(page, '/undo', 'change_id');
  await pressOnSight(page, '.toast-region [role=status] form button', ['pointer']);
  await setUpLive(page, docket);
  await add(page, docket, 'call mum');
  await check(page, 'call mum').press('Space');
  const undo = page.getByRole('status').getByRole('button', { name: 'Undo' });
  await expect(undo).toBeVisible();
  expect(await page.evaluate(() => window.pressed)).toBe(1);
  expect(undone).toEqual([]);
  await undo.click();
  await expect(check(page, 'call mum')).toBeVisible();
  expect(undone).toHaveLength(1);
});

test('a key that is held down acts on one row', async ({ page, docket }) => {
  const binned = posted(page, '/tasks/delete', 'task_id');
  await setUp(page, docket);
  await add(page, docket, 'one', 'two', 'three');
  await visit(page, `${docket.origin}/tasks`);
  await page.locator('body').press('j');
  await page.keyboard.down('Delete');
  await expect(check(page, 'one')).toHaveCount(0);
  await expect(page.locator('[data-row] :focus')).toHaveCount(1);
  await page.keyboard.down('Delete');
  await page.keyboard.down('Delete');
  await page.keyboard.up('Delete');
  await page.keyboard.press('Delete');
  await expect(page.locator('.task-item')).toHaveCount(1);
  expect(binned).toHaveLength(2);
});

test.describe('with a model', () => {
  test.use({ model: 0 });

  /** Has Docket ask a question that two options answer. */
  async function question(page, docket) {
    const rules = [{ match: '^which$', tool_calls: [{ name: 'ask_person', arguments: { question: 'Which?', options: ['Buy bread', 'Buy milk'] } }] }];
    await fetch(docket.provider.replace('/v1', '/_rules'), { method: 'POST', body: JSON.stringify(rules) });
    await setUp(page, docket);
    return say(page, 'which');
  }

  test('an option that is pressed twice is sent once', async ({ page, docket }) => {
    const sent = posted(page, '/api/v1/chat', 'message');
    const asked = await question(page, docket);
    await live(page);
    const release = await hold(page, '**/api/v1/chat');
    await (await armed(asked.getByRole('button', { name: 'Buy bread' }))).dblclick();
    await expect(page.getByText('Queued. It will be sent after Docket’s reply.')).toHaveCount(0);
    release();
    await expect(page.locator('.message-item')).toHaveCount(4);
    await say(page, 'hello');
    await expect(page.locator('.message-item--mine')).toHaveText([/which/, /Buy bread/, /hello/]);
    expect(sent).toEqual(['which', 'Buy bread', 'hello']);
  });

  test.describe('without a script', () => {
    test.use({ javaScriptEnabled: false });

    test('an option form submitted twice creates one message', async ({ page, docket }) => {
      await question(page, docket);
      const fields = await page.locator('.message-item__choices form').first().locator('input').all();
      const form = Object.fromEntries(await Promise.all(fields.map(async (field) => [await field.getAttribute('name'), await field.inputValue()])));
      for (let press = 0; press < 2; press += 1) await page.request.post(`${docket.origin}/api/v1/chat`, { form, headers: { origin: docket.origin } });
      await page.goto(docket.origin);
      await expect(page.locator('.message-item--mine')).toHaveText([/which/, /Buy bread/]);
    });
  });
});

test('a tall approval must be scrolled through before approving', async ({ page, docket }) => {
  const verdicts = posted(page, '/approvals/decide', 'verdict');
  await page.setViewportSize({ width: 800, height: 420 });
  await setUpLive(page, docket);
  const numbers = Array.from({ length: 12 }, (_, at) => at + 1);
  await add(page, docket, ...numbers.map((number) => `task of many ${number}`));
  await say(page, `delete tasks ${numbers.join(', ')}`);
  const dialog = dialogOf(page);
  await expect(dialog.getByRole('button', { name: 'Keep tasks' })).toBeFocused();
  await expect(dialog.locator('.approval-card__heading')).toBeInViewport();
  await expect(dialog.getByText('Scroll through the whole request to approve.')).toBeVisible();
  const approves = dialog.getByRole('button', { name: 'Delete 12 tasks' });
  await expect(approves).toHaveAttribute('aria-disabled', 'true');
  // Each press leads further, and none counts before the last line was in sight.
  await expect(async () => {
    await page.keyboard.press('Control+Enter');
    expect(verdicts).toEqual([]);
    await expect(approves).not.toHaveAttribute('data-unread', { timeout: 50 });
  }).toPass();
  await expect(dialog.locator('.approval-card__line').last()).toBeInViewport();
  await expect(dialog.getByText('Scroll through the whole request to approve.')).toBeHidden();
  await expect(approves).toHaveAttribute('data-armed');
  await page.keyboard.press('Control+Enter');
  await expect(page.locator('.approval-card--approved')).toBeVisible();
  expect(verdicts).toEqual(['approve']);
});

test('a button under another window has to be seen again', async ({ page, docket }) => {
  const verdicts = posted(page, '/approvals/decide', 'verdict');
  await setUpLive(page, docket);
  await add(page, docket, 'call mum');
  await say(page, 'delete task 1');
  const button = await armed(approve(dialogOf(page)));
  await page.evaluate(() => {
    document.hasFocus = () => false;
    dispatchEvent(new Event('blur'));
  });
  await expect(button).not.toHaveAttribute('data-armed');
  await button.evaluate((element) => {
    document.hasFocus = () => true;
    dispatchEvent(new Event('focus'));
    element.dispatchEvent(new PointerEvent('pointerdown', { bubbles: true, isPrimary: true }));
    element.dispatchEvent(new MouseEvent('click', { bubbles: true, cancelable: true, detail: 1 }));
  });
  await expect(button).toHaveAttribute('aria-disabled', 'true');
  expect(verdicts).toEqual([]);
  await (await armed(button)).click();
  await expect(page.locator('.approval-card--approved')).toBeVisible();
  expect(verdicts).toEqual(['approve']);
});

test('an approval dialog stays closed while another field is edited', async ({ page, docket }) => {
  await setUpLive(page, docket);
  await add(page, docket, 'call mum');
  const release = await hold(page, '**/api/v1/chat');
  await box(page).fill('delete task 1');
  await box(page).press('Enter');
  const field = page.getByLabel('Add a task', { exact: false }).first();
  await field.focus();
  await page.keyboard.type('buy some ');
  await release();
  await expect(page.locator('.message-item .approval-card--pending')).toBeVisible();
  await page.keyboard.type('milk');
  await expect(dialogOf(page)).toBeHidden();
  await expect(field).toHaveValue('buy some milk');
});
