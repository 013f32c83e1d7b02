// A long conversation: who reads its end follows it, and who reads further up is led down and not moved.
import { expect, say, setUpLive, test, visit } from './docket.js';

const box = (page) => page.getByRole('textbox', { name: 'Message', exact: true });
const below = (page) => page.getByRole('button', { name: 'New messages below' });
const place = (page) => page.locator('.scroller__view');
const top = (page) => place(page).evaluate((view) => Math.round(view.scrollTop));

test.use({ viewport: { width: 1280, height: 560 } });

/** A conversation longer than its window in two tabs; what is sent in the second one arrives in the first. */
async function long(page, context, docket) {
  await setUpLive(page, docket);
  for (const text of ['add buy milk', 'add call mum', 'add pay rent', 'show my tasks']) await say(page, text);
  const other = await context.newPage();
  await visit(other, page.url());
  return other;
}

test('new messages leave a scrolled up chat in place', async ({ page, context, docket }) => {
  const other = await long(page, context, docket);
  const first = page.locator('.message-item').first();
  await place(page).hover();
  await page.mouse.wheel(0, -5000);
  await expect(first).toBeInViewport();
  const before = (await first.boundingBox()).y;
  await say(other, 'add water the plants');
  await expect(below(page)).toBeVisible();
  await expect(page.locator('.message-item').last()).toContainText('water the plants', { ignoreCase: true });
  // What keeps its place does so by the next frame.
  await page.evaluate(() => new Promise((drawn) => { requestAnimationFrame(() => requestAnimationFrame(drawn)); }));
  expect(Math.abs((await first.boundingBox()).y - before), 'what is read stays where it is').toBeLessThan(2);
  await expect(page.locator('.message-item').last()).not.toBeInViewport();
  await below(page).focus();
  await page.keyboard.press('Enter');
  await expect(below(page)).toHaveCount(0);
  await expect(page.locator('.message-item').last()).toBeInViewport();
  expect(await top(page)).toBe(0);
  await expect(page.getByRole('log')).toBeFocused();
});

test('a chat scrolled to its end follows new messages', async ({ page, context, docket }) => {
  const other = await long(page, context, docket);
  await say(other, 'add water the plants');
  await expect(page.locator('.message-item').last()).toContainText('water the plants', { ignoreCase: true });
  await expect(page.locator('.message-item').last()).toBeInViewport();
  await expect(below(page)).toHaveCount(0);
  await place(page).hover();
  await page.mouse.wheel(0, -5000);
  await expect(page.locator('.message-item').first()).toBeInViewport();
  await say(other, 'add sort the photos');
  await expect(below(page)).toBeVisible();
  await page.mouse.wheel(0, 9000);
  await expect(below(page)).toHaveCount(0);
  await page.mouse.wheel(0, -5000);
  await expect(page.locator('.message-item').first()).toBeInViewport();
  await box(page).fill('show my tasks');
  await box(page).press('Enter');
  await expect(page.locator('.message-item').last()).toBeInViewport();
  expect(await top(page)).toBe(0);
  await expect(below(page)).toHaveCount(0);
});
