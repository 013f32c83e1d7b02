// Keys: everything that a hand on the keyboard can do to the list, where the palette leads, and the switch that turns single keys off.
import { armed, expect, live, say, setUp, setUpLive, test, visit } from './docket.js';

test('the list is worked through by keys alone', async ({ page, docket }) => {
  const row = (title) => page.locator('.task-item').filter({ hasText: title });
  await setUpLive(page, docket);
  for (const title of ['buy milk', 'call mum', 'pay rent']) await say(page, `add ${title}`);
  await page.locator('body').press('g');
  await page.keyboard.press('t');
  await expect(page).toHaveURL(/\/tasks$/);
  await expect(row('pay rent')).toBeVisible();

  // What is typed into a field is text: q goes there, and the next one is a letter.
  await page.keyboard.press('q');
  await page.keyboard.type('quilt');
  await page.keyboard.press('Enter');
  await expect(row('quilt')).toBeVisible();
  await page.evaluate(() => document.activeElement.blur());

  const focused = (title) => expect(row(title).locator(':focus')).toHaveCount(1);
  const titles = await page.locator('.task-item__title').allTextContents();
  await page.keyboard.press('j');
  await focused(titles[0]);
  await page.keyboard.press('j');
  await focused(titles[1]);
  await page.keyboard.press('k');
  await focused(titles[0]);
  const priority = row(titles[0]).locator('.task-item__priority');
  for (const [key, name] of [['1', 'High (p1)'], ['2', 'Medium (p2)'], ['3', 'Low (p3)']]) {
    await page.keyboard.press(key);
    await expect(priority).toContainText(name);
  }
  await page.keyboard.press('4');
  await expect(priority).toHaveCount(0);
  await page.keyboard.press('j');
  await page.keyboard.press('x');
  await expect(row(titles[1]).getByRole('checkbox', { name: 'Select' })).toBeChecked();
  await page.keyboard.press('d');
  await expect(row(titles[1]).getByLabel('Due')).toBeFocused();
  await page.keyboard.type('tomorrow');
  await page.keyboard.press('Enter');
  await expect(row(titles[1]).locator('.task-item__due')).toContainText('Tomorrow');

  await row(titles[2]).locator('summary').focus();
  await page.keyboard.press('e');
  await expect(row(titles[2])).toHaveCount(0);
  await row(titles[3]).locator('summary').focus();
  await page.keyboard.press('Delete');
  await expect(row(titles[3])).toHaveCount(0);
  await page.locator('body').press('ControlOrMeta+z');
  await expect(row(titles[3])).toHaveCount(1);

  await page.locator('body').press('/');
  await expect(page.getByRole('searchbox', { name: 'Search tasks' })).toBeFocused();
  // What lies above the page gives the focus back.
  await page.keyboard.press('ControlOrMeta+k');
  await expect(page.getByRole('dialog')).toBeVisible();
  await page.keyboard.press('Escape');
  await expect(page.getByRole('searchbox', { name: 'Search tasks' })).toBeFocused();
});

test('the palette, shortcut sheet and single key switch work', async ({ page, docket }) => {
  await setUpLive(page, docket);
  // While something is typed as well.
  await page.getByRole('textbox', { name: 'Message' }).focus();
  await page.keyboard.press('ControlOrMeta+k');
  const palette = page.getByRole('dialog', { name: 'Command palette' });
  await expect(palette.getByRole('searchbox')).toBeFocused();
  await page.keyboard.type('deleted restore');
  await expect(palette.getByRole('link')).toHaveCount(1);
  await page.keyboard.press('Enter');
  await expect(page).toHaveURL(/view=bin/);
  await expect(palette).toBeHidden();

  // A page without a script is loaded as such.
  await page.locator('body').press('ControlOrMeta+k');
  await page.keyboard.type('token reference');
  await page.keyboard.press('Enter');
  await expect(page.getByRole('heading', { name: 'API', exact: true })).toBeVisible();
  await visit(page, docket.origin);

  await page.locator('body').press('ControlOrMeta+k');
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('ArrowDown');
  await expect(palette.locator('a:focus')).toHaveText(/Audit|New conversation|Bin|Time travel/);
  await page.keyboard.press('Escape');
  await expect(palette).toBeHidden();

  await page.locator('body').press('?');
  const sheet = page.getByRole('dialog', { name: 'Keyboard shortcuts' });
  await expect(sheet).toContainText('Quick add');
  await sheet.getByRole('button', { name: 'Close' }).click();
  await expect(sheet).toBeHidden();

  await page.goto(`${docket.origin}/settings`);
  await page.getByRole('group', { name: 'Keyboard shortcuts' }).getByLabel('Off').check();
  await page.getByRole('button', { name: 'Save appearance' }).click();
  await live(page);
  await page.locator('body').press('g');
  await page.keyboard.press('t');
  await page.locator('body').press('?');
  await expect(sheet).toBeHidden();
  await expect(page).toHaveURL(/\/settings/);
  await page.locator('body').press('ControlOrMeta+k');
  await expect(palette).toBeVisible();
});

test('a focused card approves by Ctrl+Enter and never by Enter', async ({ page, docket }) => {
  const verdicts = [];
  page.on('request', (request) => {
    if (request.url().includes('/approvals/decide')) verdicts.push(new URLSearchParams(request.postData()).get('verdict'));
  });
  await setUpLive(page, docket);
  await say(page, 'add buy milk');
  // In the dialog it is the safe choice.
  await say(page, 'delete task 1');
  const keep = page.getByRole('dialog', { name: 'Approval request' }).getByRole('button', { name: 'Keep task' });
  await expect(keep).toBeFocused();
  await page.keyboard.press('Enter');
  await expect(page.getByRole('log').locator('.approval-card')).toContainText('Declined');

  await say(page, 'delete task 1');
  await expect(keep).toBeFocused();
  await page.keyboard.press('Escape');
  await visit(page, `${docket.origin}/approvals`);
  const card = page.locator('.approval-card--pending');
  await page.locator('body').press('j');
  await expect(card.locator('a:focus')).toHaveCount(1);
  // On the list it opens the request, and on that page it is nobody's.
  await page.keyboard.press('Enter');
  await expect(page).toHaveURL(/\/approvals\/.+/);
  await expect(page.getByRole('heading', { name: 'Approval', exact: true })).toBeVisible();
  await page.locator('body').press('Enter');
  await visit(page, `${docket.origin}/approvals`);
  await expect(card).toHaveCount(1);
  expect(verdicts).toEqual(['reject']);

  await page.locator('body').press('j');
  await expect(card.locator(':focus')).toHaveCount(1);
  await armed(card.getByRole('button', { name: 'Delete task' }));
  await page.keyboard.press('ControlOrMeta+Enter');
  await expect(page.locator('.approval-card').first()).toContainText('Approved');
  expect(verdicts).toEqual(['reject', 'approve']);
});

test('the g prefix opens pages and expires after a moment', async ({ page, docket }) => {
  await setUpLive(page, docket);
  for (const [key, path] of [['t', '/tasks'], ['a', '/approvals'], ['l', '/audit'], ['c', '/']]) {
    await page.locator('body').press('g');
    await page.keyboard.press(key);
    await expect(page).toHaveURL(docket.origin + path);
  }
  // As if it had been pressed two seconds ago.
  await page.evaluate(() => {
    const event = new KeyboardEvent('keydown', { key: 'g', bubbles: true });
    Object.defineProperty(event, 'timeStamp', { value: performance.now() - 2_000 });
    document.body.dispatchEvent(event);
  });
  await page.keyboard.press('t');
  // The next keys find the page as it was.
  await page.keyboard.press('g');
  await page.keyboard.press('a');
  await expect(page).toHaveURL(`${docket.origin}/approvals`);
  await page.goBack();
  await expect(page).toHaveURL(`${docket.origin}/`);
});

test('shortcuts / and q fall back to the task list', async ({ page, docket }) => {
  await setUp(page, docket);
  for (const [path, key, field] of [
    ['/approvals', '/', page.getByRole('searchbox', { name: 'Search tasks' })], ['/settings', 'q', page.getByLabel('Add a task')],
    ['/tasks?view=bin', 'q', page.getByLabel('Add a task')],
  ]) {
    await visit(page, docket.origin + path);
    await page.locator('body').press(key);
    await expect(page).toHaveURL(`${docket.origin}/tasks`);
    await expect(field).toBeFocused();
    await expect(field).toHaveValue('');
  }
  for (const [path, name] of [['/conversations', 'Search conversations'], ['/audit', 'Search text']]) {
    await visit(page, docket.origin + path);
    await page.locator('body').press('/');
    await expect(page.getByRole('searchbox', { name })).toBeFocused();
    await expect(page).toHaveURL(docket.origin + path);
  }
});
