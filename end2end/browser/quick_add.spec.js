// Quick add: what was understood shows while typing, can be told to be text, and several lines are several tasks.
import { barriers } from './axe.js';
import { check, expect, setUp, test, visit } from './docket.js';

const field = (page) => page.getByLabel('Add a task');
const chips = (page) => page.getByRole('group', { name: 'Understood' });
const chip = (page, label) => chips(page).getByRole('button', { name: new RegExp(`^${label}`) });
const row = (page, title) => page.locator('.task-item').filter({ hasText: title });

/** Pastes as a person does, wherever the focus is. */
async function paste(page, text) {
  await page.evaluate((text) => {
    const data = new DataTransfer();
    data.setData('text/plain', text);
    document.activeElement.dispatchEvent(new ClipboardEvent('paste', { clipboardData: data, bubbles: true, cancelable: true }));
  }, text);
}

/** Fails on anything that breaks WCAG 2.2 AA; leaves a picture. */
async function look(page, name) {
  expect(await barriers(page, 'best-practice'), name).toEqual([]);
  await page.screenshot({ path: `results/${name}.png` });
}

for (const place of ['/tasks', '/']) {
  test(`a chip on ${place} becomes plain text when clicked`, async ({ page, docket }) => {
    await setUp(page, docket);
    await visit(page, docket.origin + place);
    await field(page).pressSequentially('read it again tomorrow 5pm @night p1');
    await expect(chips(page).getByRole('button')).toHaveText(['Tomorrow 17:00', '@night', 'High (p1)']);
    await chip(page, 'Tomorrow').click();
    await expect(chip(page, 'Tomorrow 17:00')).toHaveCount(0);
    await expect(field(page)).toBeFocused();
    await chip(page, '@night').click();
    await expect(chips(page).getByRole('button')).toHaveText(['High (p1)']);
    // What was told to be text stays text while more is typed.
    await field(page).press('End');
    await field(page).pressSequentially(' #Books');
    await expect(chips(page).getByRole('button')).toHaveText(['High (p1)', '#Books']);
    await field(page).press('Enter');
    await expect(field(page)).toHaveValue('');
    await expect(chips(page)).toHaveCount(0);
    await expect(check(page, 'read it again tomorrow 5pm @night')).toBeVisible();
    await expect(row(page, 'read it again')).toContainText('#Books');
    await expect(row(page, 'read it again').locator('.task-item__due')).toHaveCount(0);
    // The next line begins afresh.
    await field(page).fill('call mum tomorrow');
    await expect(chip(page, 'Tomorrow')).toBeVisible();
  });
}

test('Backspace after parsed text removes its chip before any character', async ({ page, docket }) => {
  await setUp(page, docket);
  await visit(page, `${docket.origin}/tasks`);
  await field(page).pressSequentially('ça va today');
  await expect(chip(page, 'Today')).toBeVisible();
  await field(page).press('Backspace');
  await expect(chips(page)).toHaveCount(0);
  await expect(field(page)).toHaveValue('ça va today');
  await field(page).press('Backspace');
  await expect(field(page)).toHaveValue('ça va toda');
  await field(page).pressSequentially('y p2');
  await expect(chips(page).getByRole('button')).toHaveText(['Today', 'Medium (p2)']);
  // Elsewhere in the line it deletes.
  await field(page).press('ArrowLeft');
  await field(page).press('Backspace');
  await expect(field(page)).toHaveValue('ça va today 2');
});

test('three pasted lines become three tasks, undone together', async ({ page, docket }) => {
  await setUp(page, docket);
  await visit(page, `${docket.origin}/tasks`);
  await field(page).focus();
  await paste(page, '- buy milk p1\n\n- call mum tomorrow\n- pay rent #Home\n');
  const all = page.getByRole('button', { name: 'Add 3 tasks' });
  await expect(all).toBeFocused();
  await look(page, 'paste-1280-light');
  await all.press('Enter');
  await expect(page.locator('.task-item')).toHaveCount(3);
  await expect(row(page, 'pay rent')).toContainText('#Home');
  await expect(row(page, 'call mum')).toContainText('Tomorrow');
  await expect(page.getByRole('group', { name: '3 lines pasted' })).toHaveCount(0);
  await expect(field(page)).toBeFocused();
  await expect(page.getByRole('status')).toContainText('Added 3 tasks.');
  await page.getByRole('status').getByRole('button', { name: 'Undo' }).click();
  await expect(page.locator('.task-item')).toHaveCount(0);
});

test('pasted lines become one task with notes, or nothing', async ({ page, docket }) => {
  await setUp(page, docket);
  await visit(page, `${docket.origin}/tasks`);
  await field(page).fill('half a line');
  await paste(page, 'plan the trip tomorrow\nbook trains\nfind the tent');
  await page.getByRole('button', { name: 'Cancel' }).click();
  await expect(page.getByRole('group', { name: '3 lines pasted' })).toHaveCount(0);
  await expect(field(page)).toHaveValue('half a line');
  await paste(page, 'plan the trip tomorrow\nbook trains\nfind the tent');
  await page.getByRole('button', { name: 'One task, the rest as notes' }).click();
  await expect(page.locator('.task-item')).toHaveCount(1);
  await expect(row(page, 'plan the trip')).toContainText('Tomorrow');
  await row(page, 'plan the trip').locator('summary').click();
  await expect(page.getByLabel('Notes')).toHaveValue('book trains\nfind the tent');
  // One line is pasted as ever.
  await field(page).fill('');
  await paste(page, 'one line only');
  await expect(page.getByRole('group', { name: /lines pasted/ })).toHaveCount(0);
});

for (const { name, ...options } of [
  { name: '390-light', viewport: { width: 390, height: 844 }, colorScheme: 'light', hasTouch: true },
  { name: '1280-dark', viewport: { width: 1280, height: 800 }, colorScheme: 'dark' },
]) {
  test.describe(name, () => {
    test.use(options);

    test('chips and pasted lines can be read and reached', async ({ page, docket }) => {
      await setUp(page, docket);
      await visit(page, `${docket.origin}/tasks`);
      await field(page).fill('water the plants on the balcony every monday 8am #Household @home p2');
      await expect(chips(page).getByRole('button')).toHaveCount(4);
      await paste(page, 'buy milk for the cake that we bake on Sunday afternoon with the children\ncall mum');
      await expect(page.getByRole('button', { name: 'Add 2 tasks' })).toBeVisible();
      expect(await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth)).toBe(0);
      await look(page, `chips-${name}`);
    });
  });
}

test.describe('without a script', () => {
  test.use({ javaScriptEnabled: false });

  test('the same is understood when the line is sent', async ({ page, docket }) => {
    await setUp(page, docket);
    for (const place of ['/tasks', '/']) {
      await page.goto(docket.origin + place);
      await field(page).fill(`call mum tomorrow 5pm #Family p1 from ${place}`);
      await page.getByRole('button', { name: 'Add', exact: true }).click();
      await expect(page).toHaveURL(docket.origin + place);
      const added = row(page, `call mum from ${place}`).first();
      await expect(added).toContainText('Tomorrow 17:00');
      await expect(added).toContainText('#Family');
      await expect(added).toContainText('High (p1)');
    }
  });
});
