// The way between pages with a script: links and the buttons back and forward change the page and load nothing anew.
import { check, expect, say, setUpLive, test } from './docket.js';

/** Marks the document; the mark is gone once another one was loaded. */
const mark = (page) => page.evaluate(() => { window.marked = true; });
const isSame = (page) => page.evaluate(() => window.marked === true);

test('every page opens by client navigation in both directions', async ({ page, docket }) => {
  await setUpLive(page, docket);
  await say(page, 'add call mum tomorrow');
  await mark(page);
  const main = page.getByRole('navigation', { name: 'Main' });
  for (const [name, path] of [['Tasks', '/tasks'], ['Approvals', '/approvals'], ['Audit', '/audit'], ['Settings', '/settings'], ['Chat', '/']]) {
    await main.getByRole('link', { name }).click();
    await expect(page).toHaveURL(docket.origin + path);
    await expect(page.getByRole('heading', { level: 1, name })).toBeAttached();
    await expect(page).toHaveTitle(`${name} · Docket`);
    await expect(main.locator('[aria-current=page]')).toHaveText(name);
  }
  await page.goBack();
  await expect(page.getByRole('heading', { level: 1, name: 'Settings' })).toBeVisible();
  await page.goBack();
  await expect(page.getByRole('heading', { level: 1, name: 'Audit' })).toBeVisible();
  await expect(page).toHaveTitle('Audit · Docket');
  await page.goForward();
  await expect(page.getByRole('heading', { level: 1, name: 'Settings' })).toBeVisible();
  await page.getByRole('link', { name: 'Manage users' }).click();
  await expect(page.getByRole('heading', { level: 1, name: 'Users' })).toBeVisible();
  await expect(main.locator('[aria-current=page]')).toHaveText('Settings');
  await page.goBack();
  await page.getByRole('link', { name: 'Memories' }).click();
  await expect(page.getByRole('heading', { level: 1, name: 'Memory' })).toBeVisible();
  expect(await isSame(page)).toBe(true);
});

test('a page keeps its draft while only its URL changes', async ({ page, docket }) => {
  await setUpLive(page, docket);
  await say(page, 'add call mum tomorrow #Family');
  await say(page, 'add buy milk');
  await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Tasks' }).click();
  await mark(page);
  const family = page.getByRole('navigation', { name: 'Projects and tags' }).getByRole('link', { name: /#Family/ });
  await page.getByLabel('Add a task').fill('half typed');
  await family.click();
  await expect(page).toHaveURL(/project=Family/);
  await expect(check(page, 'Buy milk')).toHaveCount(0);
  await expect(check(page, 'Call mum')).toBeVisible();
  await expect(page.getByLabel('Add a task')).toHaveValue('half typed');
  await family.click();
  await expect(check(page, 'Buy milk')).toBeVisible();
  await page.locator('.task-item').filter({ hasText: 'Call mum' }).locator('summary').click();
  await page.getByRole('link', { name: 'History' }).click();
  await expect(page).toHaveURL(`${docket.origin}/tasks/1`);
  const one = page.getByRole('complementary', { name: 'One task' });
  await expect(one).toContainText('Added by Docket');
  await one.getByRole('link', { name: 'Close' }).click();
  await expect(one).toHaveCount(0);
  await expect(page.getByLabel('Add a task')).toHaveValue('half typed');
  expect(await isSame(page)).toBe(true);
});

test('navigation stops old requests and the skip link focuses content', async ({ page, docket }) => {
  await setUpLive(page, docket);
  await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Tasks' }).click();
  await page.getByRole('link', { name: /^Upcoming / }).click();
  await expect(page).toHaveURL(/view=upcoming/);
  await expect(page.getByRole('heading', { level: 2, name: 'Upcoming' })).toBeAttached();
  const asked = [];
  page.on('request', (request) => asked.push(new URL(request.url()).pathname));
  await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Audit' }).click();
  await expect(page.getByRole('heading', { level: 1, name: 'Audit' })).toBeVisible();
  await expect.poll(() => asked).toContain('/api/v1/rendered/record');
  expect(asked.filter((path) => path.startsWith('/api/v1/tasks/'))).toEqual([]);
  await page.getByRole('link', { name: 'Skip to content' }).focus();
  await page.keyboard.press('Enter');
  await expect(page.locator('#main')).toBeFocused();
});

test('new tabs and downloads are left to the browser', async ({ page, context, docket }) => {
  await setUpLive(page, docket);
  await mark(page);
  const link = page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Settings' });
  const [other] = await Promise.all([context.waitForEvent('page'), link.click({ modifiers: ['ControlOrMeta'] })]);
  await expect(other).toHaveURL(`${docket.origin}/settings`);
  await expect(page).toHaveURL(`${docket.origin}/`);
  await link.click();
  const [file] = await Promise.all([page.waitForEvent('download'), page.getByRole('link', { name: 'Everything (JSON)' }).click()]);
  expect(file.suggestedFilename()).toBe('docket.json');
  expect(await isSame(page)).toBe(true);
});
