// Every page as people see it: no barrier that axe knows, and a picture to look at.
import { barriers } from './axe.js';
import { expect, reload, say, setUp, setUpLive, test, visit } from './docket.js';

const LOOKS = [
  { name: '390-light', viewport: { width: 390, height: 844 }, colorScheme: 'light', hasTouch: true },
  { name: '1280-dark', viewport: { width: 1280, height: 800 }, colorScheme: 'dark', hasTouch: false },
];
const PAGES = [
  '/', '/conversations', '/tasks', '/tasks?view=bin', '/tasks/1', '/tasks/as-of', '/approvals', '/audit', '/settings',
  '/settings/memory', '/admin/users', '/join?token=x', '/sign-in', '/setup?token=x', '/nowhere',
];

/** Fails on anything that breaks WCAG 2.2 AA; leaves a picture. */
async function look(page, name) {
  expect(await barriers(page, 'best-practice'), name).toEqual([]);
  await page.screenshot({ path: `results/${name}.png` });
}

for (const { name, ...options } of LOOKS) {
  test.describe(name, () => {
    test.use({ ...options, expected: [/status of 404/] });

    test('every page, empty', async ({ page, docket }) => {
      await setUp(page, docket);
      for (const path of ['/', '/tasks', '/tasks?view=today', '/approvals', '/audit']) {
        await visit(page, docket.origin + path);
        await look(page, `empty${path.replaceAll(/\W/g, '-')}-${name}`);
      }
    });

    test('every page, full', async ({ page, docket }) => {
      // Dozens of pages, each looked through by axe.
      test.slow();
      await setUpLive(page, docket);
      for (const text of ['add buy milk tomorrow p1', 'add call mum friday 5pm', 'add pay rent yesterday', 'what is due this week?', 'complete task 1', 'delete task 99']) {
        await say(page, text);
      }
      await say(page, 'delete task 2');
      await expect(page.getByRole('dialog')).toBeVisible();
      await look(page, `dialog-${name}`);
      await page.getByRole('button', { name: 'Decide later' }).click();
      for (const path of PAGES) {
        await visit(page, docket.origin + path);
        await look(page, `full${path.replaceAll(/\W/g, '-')}-${name}`);
      }
      await visit(page, `${docket.origin}/tasks`);
      await page.locator('.task-item summary').first().click();
      await look(page, `edit-${name}`);
      await visit(page, `${docket.origin}/audit`);
      await page.locator('.audit-row').first().click();
      await expect(page).toHaveURL(/\/audit\/.+/);
      await expect(page.locator('.story__headline')).toBeVisible();
      await look(page, `audit-open-${name}`);
      await reload(page);
      await look(page, `story-${name}`);
      // A page without a script.
      await page.goto(`${docket.origin}/api`);
      await expect(page.getByRole('heading', { name: 'API', exact: true })).toBeVisible();
      await look(page, `api-${name}`);
    });
  });
}
