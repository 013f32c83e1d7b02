// One task beside its list, or in its place on a phone: it is ticked there, keeps the list that it was opened from, and shows news.
import { barriers } from './axe.js';
import { check, expect, live, setUp, test, visit } from './docket.js';

const add = (page, docket, text) => page.request.post(`${docket.origin}/api/v1/tasks/add`, { form: { text }, headers: { origin: docket.origin } });
const one = (page) => page.getByRole('complementary', { name: 'One task' });

for (const script of [true, false]) {
  test.describe(script ? 'with a script' : 'without a script', () => {
    test.use({ javaScriptEnabled: script });
    const ready = async (page) => { if (script) await live(page); };

    test('a task keeps the list that it was opened from', async ({ page, docket }) => {
      await setUp(page, docket);
      for (const text of ['water the ferns today', 'sort photos', 'pay rent today #Home']) await add(page, docket, text);
      for (const [search, there, gone] of [['view=today', 'pay rent', 'sort photos'], ['project=Home', 'pay rent', 'water the ferns'], ['view=all&q=rent', 'pay rent', 'sort photos']]) {
        await page.goto(`${docket.origin}/tasks?${search}`);
        await ready(page);
        await page.locator('.task-item').filter({ hasText: there }).locator('summary').click();
        await page.getByRole('link', { name: 'History' }).click();
        await expect(page).toHaveURL(`${docket.origin}/tasks/3?${search}`);
        await expect(one(page)).toContainText('pay rent');
        await expect(check(page, there)).toBeVisible();
        await expect(check(page, gone)).toHaveCount(0);
        await one(page).getByRole('link', { name: 'Close' }).click();
        await expect(one(page)).toHaveCount(0);
        await expect(check(page, there)).toBeVisible();
        await expect(check(page, gone)).toHaveCount(0);
      }
    });

    test.describe('on a phone', () => {
      test.use({ viewport: { width: 390, height: 844 } });

      test('a task is completed and reopened on its own page', async ({ page, docket }) => {
        await setUp(page, docket);
        await add(page, docket, 'water the ferns');
        await page.goto(`${docket.origin}/tasks/1`);
        await ready(page);
        const tick = one(page).getByRole('checkbox', { name: 'Done' });
        await expect(tick).toHaveAttribute('aria-checked', 'false');
        await tick.click();
        await expect(tick).toHaveAttribute('aria-checked', 'true');
        await expect(one(page)).toContainText('Completed by you');
        await expect(page).toHaveURL(`${docket.origin}/tasks/1`);
        if (script) expect(await barriers(page, 'best-practice')).toEqual([]);
        await tick.click();
        await expect(tick).toHaveAttribute('aria-checked', 'false');
        await expect(one(page)).toContainText('Reopened by you');
      });
    });
  });
}

test('Esc leaves the field first and then closes the task', async ({ page, docket }) => {
  await setUp(page, docket);
  await add(page, docket, 'water the ferns today');
  await visit(page, `${docket.origin}/tasks/1?view=today`);
  await one(page).locator('[name=title]').fill('water the fer');
  await page.keyboard.press('Escape');
  await expect(one(page).locator('[name=title]')).not.toBeFocused();
  await expect(one(page).locator('[name=title]')).toHaveValue('water the fer');
  // What is open over it closes first.
  await page.keyboard.press('?');
  await expect(page.getByRole('dialog', { name: 'Keyboard shortcuts' })).toBeVisible();
  await page.keyboard.press('Escape');
  await expect(page.getByRole('dialog', { name: 'Keyboard shortcuts' })).toBeHidden();
  await expect(one(page)).toBeVisible();
  await page.keyboard.press('Escape');
  await expect(one(page)).toHaveCount(0);
  await expect(page).toHaveURL(`${docket.origin}/tasks?view=today`);
});

test('a form takes remote changes only while nothing is typed', async ({ page, docket }) => {
  const rename = (title) => page.request.post(`${docket.origin}/api/v1/tasks/update`, { form: { task_id: '1', title }, headers: { origin: docket.origin } });
  await setUp(page, docket);
  await add(page, docket, 'water the ferns');
  await visit(page, `${docket.origin}/tasks/1`);
  const field = (name) => one(page).locator(`.task-form__fields [name=${name}]`);
  const heading = one(page).getByRole('heading', { level: 2 });
  await field('description').pressSequentially('ab');
  await rename('water the palms');
  await expect(heading).toContainText('water the palms');
  await expect(field('title')).toHaveValue('water the ferns');
  await field('description').press('Backspace');
  await expect(field('title')).toHaveValue('water the ferns');
  await field('description').press('Backspace');
  await expect(field('title')).toHaveValue('water the palms');
  await expect(field('description')).toBeFocused();
  // The field that was typed into shows news again as well.
  await field('title').press('End');
  await page.keyboard.type('!');
  await page.keyboard.press('Backspace');
  await rename('water the roses');
  await expect(field('title')).toHaveValue('water the roses');
  // Nothing of it is sent back as a change.
  await field('due').fill('tomorrow');
  await one(page).getByRole('button', { name: 'Save' }).click();
  await expect(one(page).locator('.task-detail__line').first()).toContainText('due');
  await expect(heading).toContainText('water the roses');
});
