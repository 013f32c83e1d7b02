// What is shown before the server has answered: a check, a new task, an edit; and taken back with the reason where it refuses.
import { check, expect, setUp, test, visit } from './docket.js';

const row = (page, title) => page.locator('.task-item').filter({ hasText: title });
const add = async (page, line) => {
  await page.getByLabel('Add a task').fill(line);
  await page.getByLabel('Add a task').press('Enter');
};

/** The tasks page with one task; what is sent to `path` waits for what this returns. */
async function holding(page, docket, path, meanwhile = async () => {}) {
  await setUp(page, docket);
  await visit(page, `${docket.origin}/tasks`);
  await add(page, 'buy milk');
  await expect(check(page, 'buy milk')).toBeVisible();
  await expect(page.locator('.quick-add__row')).toHaveCount(0);
  let go;
  const held = new Promise((resolve) => { go = resolve; });
  await page.route(`**/api/v1/tasks/${path}`, async (route) => {
    await held;
    await meanwhile();
    await route.continue();
  });
  return go;
}

test('a new task is shown optimistically before its list row', async ({ page, docket }) => {
  const go = await holding(page, docket, 'add');
  await page.getByLabel('Add a task').pressSequentially('call mum tomorrow p1');
  await expect(page.getByRole('group', { name: 'Understood' }).getByRole('button')).toHaveCount(2);
  await page.getByLabel('Add a task').press('Enter');
  const sent = page.locator('.quick-add__row');
  await expect(sent).toContainText('call mum');
  await expect(sent).toContainText('Tomorrow · High (p1)');
  await expect(sent).toContainText('Adding…');
  await expect(page.getByLabel('Add a task')).toHaveValue('');
  await expect(page.getByLabel('Add a task')).toBeFocused();
  go();
  await expect(check(page, 'call mum')).toBeVisible();
  await expect(sent).toHaveCount(0);
});

test('a new task outside the view is confirmed as added', async ({ page, docket }) => {
  await setUp(page, docket);
  await visit(page, `${docket.origin}/tasks?view=today`);
  // It stands for a moment only.
  await page.evaluate(() => {
    window.told = new Set();
    const note = () => document.querySelectorAll('.quick-add__row').forEach((row) => window.told.add(row.textContent));
    new MutationObserver(note).observe(document.body, { childList: true, characterData: true, subtree: true });
  });
  await add(page, 'call mum in 3 days');
  await expect.poll(() => page.evaluate(() => [...window.told].join('\n'))).toContain('Added');
  await expect(page.locator('.quick-add__row')).toHaveCount(0);
  await expect(page.locator('.task-item')).toHaveCount(0);
});

test.describe('refused', () => {
  test.use({ expected: [/status of (404|409|422)|ERR_CONNECTION_ABORTED/] });

  test('a refused completion is reverted and shows the reason', async ({ page, docket }) => {
    // Something happens in between that the page does not hear of.
    const go = await holding(page, docket, 'complete', async () => {
      const form = { task_id: '1' };
      const answer = await page.request.post(`${docket.origin}/api/v1/tasks/delete`, { form, headers: { origin: docket.origin } });
      expect(answer.status()).toBe(200);
    });
    await page.route('**/tasks/list*', (route) => route.abort('connectionaborted'));
    await check(page, 'buy milk').click();
    await expect(check(page, 'buy milk')).toHaveAttribute('aria-checked', 'true');
    go();
    await expect(page.getByRole('alert').filter({ hasText: 'There is no task #1.' })).toBeVisible();
    await expect(check(page, 'buy milk')).toHaveAttribute('aria-checked', 'false');
    await page.unrouteAll();
  });

  test('a refused new task is reverted and its text restored', async ({ page, docket }) => {
    const go = await holding(page, docket, 'add');
    await add(page, '#Home');
    await expect(page.locator('.quick-add__row')).toContainText('#Home');
    go();
    await expect(page.getByRole('alert').filter({ hasText: 'A title must not be empty.' })).toBeVisible();
    await expect(page.locator('.quick-add__row')).toHaveCount(0);
    await expect(page.getByLabel('Add a task')).toHaveValue('#Home');
  });

  test('a refused edit is reverted and reopens with the reason', async ({ page, docket }) => {
    const go = await holding(page, docket, 'update');
    const only = page.locator('.task-item');
    const edit = async (title, due) => {
      if (await only.locator('details').getAttribute('open') === null) await only.locator('summary').click();
      await only.getByLabel('Title').fill(title);
      await only.getByLabel('Priority').selectOption('high');
      await only.getByLabel('Due').fill(due);
      await only.getByRole('button', { name: 'Save' }).click();
    };
    await edit('oat milk', 'whenever');
    const title = only.locator('.task-item__title');
    await expect(title).toHaveText('oat milk');
    await expect(only).toContainText('Saving…');
    await expect(only.locator('.task-item__priority')).toHaveText(/High/);
    await expect(only.locator('details')).not.toHaveAttribute('open');
    await expect(only.locator('summary')).toBeFocused();
    go();
    await expect(title).toHaveText('buy milk');
    await expect(only.getByRole('alert')).toContainText('is not a supported date');
    await expect(only.getByLabel('Title')).toHaveValue('oat milk');
    await expect(only.locator('.task-item__priority')).toHaveCount(0);
    await edit('oat milk', 'tomorrow');
    await expect(only.locator('.task-item__due')).toHaveText(/Tomorrow/);
    await expect(title).toHaveText('oat milk');
    await expect(only).not.toContainText('Saving…');
  });

  test('a refused edit keeps its fields despite a remote change', async ({ page, docket }) => {
    const go = await holding(page, docket, 'update');
    const only = page.locator('.task-item');
    const field = (name) => only.getByLabel(name, { exact: true });
    await only.locator('summary').click();
    await field('Notes').fill('two litres');
    await field('Due').fill('whenever');
    await only.getByRole('button', { name: 'Save' }).click();
    await expect(only.locator('details')).not.toHaveAttribute('open');
    const form = { task_id: '1', project: 'Home' };
    const answer = await page.request.post(`${docket.origin}/api/v1/tasks/update`, { form, headers: { origin: docket.origin } });
    expect(answer.status()).toBe(200);
    await expect(only.locator('.task-item__meta')).toContainText('Home');
    go();
    await expect(only.getByRole('alert')).toContainText('is not a supported date');
    await expect(field('Due')).toHaveValue('whenever');
    await expect(field('Due')).toHaveAttribute('aria-invalid', 'true');
    await expect(field('Notes')).toHaveValue('two litres');
    await field('Due').fill('tomorrow');
    await only.getByRole('button', { name: 'Save' }).click();
    await expect(only.locator('.task-item__due')).toHaveText(/Tomorrow/);
    await expect(only.locator('.task-item__meta'), 'what was not touched').toContainText('Home');
  });
});
