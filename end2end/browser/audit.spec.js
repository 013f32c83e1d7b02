// The record while it grows, and how far a look for words goes.
import { barriers } from './axe.js';
import { expect, live, PASSWORD, say, setUp, setUpLive, start, test, visit } from './docket.js';

/** Somebody else's browser, let in by the admin whose page that is. */
async function somebody(browser, page, docket, name) {
  const invited = await page.request.post(`${docket.origin}/api/v1/admin/users/invite`, { form: { name }, headers: { origin: docket.origin } });
  const context = await browser.newContext();
  const theirs = await context.newPage();
  await theirs.goto((await invited.json()).link);
  await theirs.getByLabel('Password').fill(PASSWORD);
  await theirs.getByRole('button', { name: 'Join' }).click();
  await expect(theirs).toHaveURL(`${docket.origin}/`);
  await live(theirs);
  return { page: theirs, close: () => context.close() };
}

const entries = (page) => page.locator('.audit-row__said');
const fresh = (page) => page.getByRole('button', { name: / new$/ });

test('new audit entries stay behind a counter until requested', async ({ page, browser, docket }) => {
  await setUpLive(page, docket);
  for (const n of [1, 2, 3, 4, 5, 6, 7, 8, 9, 10]) await page.request.post(`${docket.origin}/api/v1/chat`, { form: { message: `add thing ${n}`, wait: 'true' }, headers: { origin: docket.origin } });
  const ben = await somebody(browser, page, docket, 'ben');
  await visit(page, `${docket.origin}/audit`);
  await expect(entries(page).first()).toHaveText('add thing 10');
  const entry = page.locator('.audit-row').last();
  await entry.scrollIntoViewIfNeeded();
  const before = await entry.boundingBox();

  await say(ben.page, 'add bread');
  await expect(fresh(page)).toHaveText('1 new', { timeout: 15_000 });
  await page.request.post(`${docket.origin}/api/v1/chat`, { form: { message: 'add thing 11', wait: 'true' }, headers: { origin: docket.origin } });
  await expect(fresh(page)).toHaveText('2 new');
  await expect(entries(page)).toHaveCount(10);
  expect(await entry.boundingBox(), 'nothing has moved').toEqual(before);

  await fresh(page).click();
  await expect(entries(page).nth(0)).toHaveText('add thing 11');
  await expect(entries(page).nth(1)).toHaveText('ben: add bread');
  await expect(fresh(page)).toBeHidden();
  await ben.close();
});

test('an audit page with live updates off polls nothing', async ({ page, browser, docket }) => {
  await setUpLive(page, docket);
  await page.clock.install();
  await visit(page, `${docket.origin}/audit?live=off`);
  const asked = [];
  page.on('request', (request) => asked.push(new URL(request.url()).pathname));
  await page.clock.runFor(30_000);
  expect(asked).not.toContain('/api/v1/rendered/record');
  await page.getByRole('link', { name: 'Live: off' }).click();
  await expect(page.getByRole('link', { name: 'Live: on' })).toBeVisible();
  await page.clock.runFor(5_000);
  await expect.poll(() => asked).toContain('/api/v1/rendered/record');
});

test('an audit text search shows progress and can continue', async ({ page, browser }) => {
  const docket = await start({ DOCKET_SEARCH_TURNS: '3' });
  try {
    await setUp(page, docket);
    for (const thing of ['needle', 'hay', 'straw', 'chaff', 'grass']) await page.request.post(`${docket.origin}/api/v1/chat`, { form: { message: `add ${thing}`, wait: 'true' }, headers: { origin: docket.origin } });
    await visit(page, `${docket.origin}/audit?text=needle`);
    await expect(page.locator('.audit-page__searched')).toContainText(/^No matches back to .+\. Older turns have not been searched yet\.$/);
    await expect(page.getByText('No matching entries')).toBeHidden();
    await expect(page.getByText('Statistics ignore the text search')).toBeVisible();
    for (const [name, viewport] of [['phone', { width: 390, height: 844 }], ['desk', { width: 1280, height: 900 }]]) {
      for (const colorScheme of ['light', 'dark']) {
        await page.setViewportSize(viewport);
        await page.emulateMedia({ colorScheme });
        await page.screenshot({ path: `results/searched-${name}-${colorScheme}.png` });
        expect(await barriers(page)).toEqual([]);
      }
    }
    await page.getByRole('link', { name: 'Search older turns' }).click();
    await expect(entries(page)).toHaveText(['add needle']);
    await expect(page.locator('.audit-page__searched')).toBeHidden();
  } finally {
    await page.goto('about:blank');
    await docket.stop();
  }
});

/** Turns that add a thing each, the last one first in the record. */
async function recorded(page, docket, count) {
  await setUpLive(page, docket);
  for (let n = 1; n <= count; n += 1) await page.request.post(`${docket.origin}/api/v1/chat`, { form: { message: `add thing ${n}`, wait: 'true' }, headers: { origin: docket.origin } });
}

const drawer = (page) => page.getByRole('complementary', { name: 'Turn' });

test('a turn detail opens next to the unchanged audit list', async ({ page, docket }) => {
  await recorded(page, docket, 25);
  await visit(page, `${docket.origin}/audit?tool=add_task`);
  const row = page.locator('.audit-row').filter({ hasText: 'add thing 3' }).last();
  await row.scrollIntoViewIfNeeded();
  const scrolled = () => page.locator('.frame__main').evaluate((main) => main.scrollTop);
  const before = await scrolled();
  expect(before).toBeGreaterThan(200);
  await row.focus();
  await page.keyboard.press('Enter');
  await expect(drawer(page).getByRole('heading', { level: 2, name: 'add thing 3' })).toBeFocused();
  await expect(page).toHaveURL(/\/audit\/[0-9a-f-]+\?tool=add_task$/);
  await expect(row).toHaveAttribute('aria-current', 'true');
  await expect(row).toBeInViewport();
  for (const section of ['Story', 'Calls', 'Changes', 'Raw']) await expect(drawer(page).getByRole('heading', { level: 3, name: section })).toBeAttached();

  // The next one takes its place; what is asked of a turn is asked of that one alone, and the list stays narrowed.
  await drawer(page).getByRole('link', { name: 'Replay from the audit log' }).click();
  await expect(drawer(page).locator('.story__same')).toBeVisible();
  await expect(page).toHaveURL(/\?tool=add_task&replay=recorded$/);
  await page.locator('.audit-row').filter({ hasText: 'add thing 4' }).click();
  await expect(drawer(page).getByRole('heading', { level: 2, name: 'add thing 4' })).toBeFocused();
  await expect(drawer(page).locator('.story__same')).toHaveCount(0);
  await expect(page).toHaveURL(/\?tool=add_task$/);

  await page.keyboard.press('Escape');
  await expect(drawer(page)).toHaveCount(0);
  await expect(page.locator('.audit-row').filter({ hasText: 'add thing 4' })).toBeFocused();
  await expect(page).toHaveURL(`${docket.origin}/audit?tool=add_task`);
  await page.goBack();
  await expect(drawer(page).getByRole('heading', { level: 2, name: 'add thing 4' })).toBeVisible();
});

test('a turn detail on a phone replaces the audit list', async ({ page, docket }) => {
  await page.setViewportSize({ width: 390, height: 844 });
  await recorded(page, docket, 3);
  await visit(page, `${docket.origin}/audit`);
  await page.locator('.audit-row').first().click();
  await expect(drawer(page).getByRole('heading', { level: 2, name: 'add thing 3' })).toBeInViewport();
  await expect(page.locator('.audit-row').first()).toBeHidden();
  await expect(page.getByRole('heading', { level: 1, name: 'Audit' })).toBeAttached();
  await drawer(page).getByRole('link', { name: 'Close' }).click();
  await expect(page.locator('.audit-row')).toHaveCount(3);
  await expect(page.locator('.audit-row').first()).toBeVisible();
});

test('the audit log is verified and filtered by its chart', async ({ page, docket }) => {
  await recorded(page, docket, 2);
  await visit(page, `${docket.origin}/audit?outcome=SUCCESS`);
  await page.getByRole('button', { name: 'Verify' }).click();
  await expect(page.locator('.seal__fine')).toContainText(/^Verified through /);
  await expect(page).toHaveURL(/outcome=SUCCESS/);
  await live(page);
  const bar = page.locator('.figures__svg a').last();
  await bar.focus();
  await page.keyboard.press('Enter');
  await expect(page).toHaveURL(/since=.+&until=/);
  await expect(page.locator('#audit-since')).not.toHaveValue('');
  await expect(page.locator('.audit-row')).toHaveCount(2);
});

test('erased text is marked in audit list and turn detail', async ({ page, docket }) => {
  await recorded(page, docket, 1);
  const erased = await page.request.post(`${docket.origin}/api/v1/settings/erase`, { form: { password: PASSWORD }, headers: { origin: docket.origin } });
  expect(erased.ok()).toBe(true);
  await visit(page, `${docket.origin}/audit`);
  await expect(entries(page)).toHaveText(['This text was erased.']);
  await page.locator('.audit-row').click();
  await expect(drawer(page).getByRole('heading', { level: 2, name: 'This text was erased.' })).toBeVisible();
  await expect(drawer(page)).toContainText('The tool calls were erased.');
  await expect(drawer(page)).toContainText('The changes were erased.');
  await expect(page.getByText('thing 1')).toHaveCount(0);
  expect(await barriers(page)).toEqual([]);
});
