// Short messages at the edge of the page: how long they stay.
import { check, expect, setUpLive, test } from './docket.js';

const told = (page) => page.locator('.toast-region').getByRole('status');
const undo = (page) => told(page).getByRole('button', { name: 'Undo' });

/** Keeps back what is to happen in ten seconds, until `run`. A clock of the test's own has numbers for it that the page cannot hold. */
async function tenSeconds(page) {
  await page.addInitScript(() => {
    const { setTimeout, clearTimeout } = window;
    window.due = new Map();
    let last = 1_000_000;
    window.setTimeout = (call, ms, ...more) => {
      if (ms !== 10_000) return setTimeout(call, ms, ...more);
      last += 1;
      window.due.set(last, call);
      return last;
    };
    window.clearTimeout = (id) => window.due.delete(id) || clearTimeout(id);
  });
  return {
    waiting: () => page.evaluate(() => window.due.size),
    run: () => page.evaluate(() => [...window.due].forEach(([id, call]) => window.due.delete(id) && call())),
  };
}

test('a toast expires after ten seconds unless hovered or focused', async ({ page, docket }) => {
  const later = await tenSeconds(page);
  await setUpLive(page, docket);
  await page.evaluate(async () => {
    for (const title of ['one', 'two', 'three']) await fetch('/api/v1/tasks/add', { method: 'POST', body: new URLSearchParams({ title }) });
  });
  const complete = async (title) => {
    await check(page, title).press('Space');
    await expect(told(page)).toContainText(`Completed “${title}”`);
    await expect.poll(later.waiting).toBe(1);
  };
  await complete('one');
  await later.run();
  await expect(told(page)).toBeEmpty();

  await complete('two');
  await undo(page).hover();
  await expect.poll(later.waiting).toBe(0);
  await page.mouse.move(5, 5);
  await expect.poll(later.waiting).toBe(1);
  await expect(undo(page)).toBeVisible();
  await later.run();
  await expect(told(page)).toBeEmpty();

  await complete('three');
  await undo(page).focus();
  await expect.poll(later.waiting).toBe(0);
  await page.getByLabel('Add a task').focus();
  await expect.poll(later.waiting).toBe(1);
  await later.run();
  await expect(told(page)).toBeEmpty();
});
