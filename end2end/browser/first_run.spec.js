// The first minutes: three things to try, a list to try them with, which goes as quickly; and the key that takes back what was done last.
import { arrived, check, editor, expect, hold, live, say, setUp, setUpLive, test, visit } from './docket.js';

const status = (page) => page.locator('.toast-region').getByRole('status');
const samples = ['Water the plants', 'Call the dentist', 'Pay the rent', 'Plan a day out', 'Sort the old photos'];

for (const scripted of [true, false]) {
  test.describe(scripted ? 'with a script' : 'without a script', () => {
    test.use({ javaScriptEnabled: scripted });
    const ready = async (page) => { if (scripted) await live(page); };

    test('samples are added and removed together except an edited one', async ({ page, docket }) => {
      await setUp(page, docket);
      await ready(page);
      const starters = page.locator('.starters').getByRole('button');
      await expect(starters).toHaveText(['add buy milk tomorrow p1', 'what is due this week?', 'add call mum on friday']);
      await page.getByRole('button', { name: 'Add a sample list' }).click();
      await expect(status(page)).toContainText('Added 5 samples.');
      for (const title of samples) await expect(check(page, title)).toBeVisible();
      await expect(page.getByText('5 samples are in your list, including completed ones.')).toBeVisible();
      // What can be said is about what is there.
      await expect(starters.last()).toHaveText('complete Water the plants');
      await expect(page.getByRole('button', { name: 'Add a sample list' })).toHaveCount(0);
      // All of them are taken back together.
      await status(page).getByRole('button', { name: 'Undo' }).click();
      await expect(check(page, 'Water the plants')).toHaveCount(0);
      await page.goto(`${docket.origin}/tasks`);
      await ready(page);
      await expect(page.getByText('Your list is empty')).toBeVisible();
      await page.getByRole('button', { name: 'Add a sample list' }).click();
      await expect(check(page, 'Pay the rent')).toBeVisible();

      await page.getByLabel('Add a task').fill('my own');
      await page.getByRole('button', { name: 'Add', exact: true }).click();
      await expect(check(page, 'my own')).toBeVisible();
      const kept = page.locator('.task-item').filter({ hasText: 'Sort the old photos' });
      const form = await editor(page, kept, scripted);
      await form.getByLabel('Title').fill('Sort the new photos');
      await form.getByRole('button', { name: 'Save' }).click();
      await expect(check(page, 'Sort the new photos')).toBeVisible();
      await check(page, 'Water the plants').click();
      await expect(check(page, 'Water the plants')).toHaveCount(0);
      await page.goto(`${docket.origin}/tasks`);
      await ready(page);
      // Three of them are shown, the done one is not.
      await expect(page.getByText('4 samples are in your list, including completed ones.')).toBeVisible();
      for (const filter of ['project=Home', 'tag=sample', 'view=today', 'q=rent']) {
        await page.goto(`${docket.origin}/tasks?${filter}`);
        await ready(page);
        await expect(page.getByRole('heading', { level: 1, name: 'Tasks' })).toBeVisible();
        await expect(page.locator('.samples'), filter).toHaveCount(0);
      }
      await page.goto(`${docket.origin}/tasks`);
      await ready(page);
      await page.getByRole('button', { name: 'Remove the samples' }).click();
      await expect(status(page)).toContainText('Removed 4 samples.');
      await expect(page.locator('.task-item__title')).toHaveText(['Sort the new photos', 'my own']);
      await expect(page.locator('.samples')).toHaveCount(0);
      await status(page).getByRole('button', { name: 'Undo' }).click();
      await expect(check(page, 'Pay the rent')).toBeVisible();
    });

    test('each of the three things to try does something', async ({ page, docket }) => {
      await setUp(page, docket);
      await ready(page);
      await page.getByRole('button', { name: 'Add a sample list' }).click();
      await expect(check(page, 'Water the plants')).toBeVisible();
      const answers = page.locator('.message-item:not(.message-item--mine)');
      const tries = [
        ['add buy milk tomorrow p1', /Created task: buy milk/i],
        ['list tasks in the Home project', /Pay the rent/i],
        ['complete Water the plants', /Completed.*Water the plants/i],
      ];
      for (const [name, answer] of tries) {
        await page.goto(`${docket.origin}/?c=new`);
        await ready(page);
        await page.getByRole('button', { name }).click();
        await expect(answers).toHaveCount(1);
        await expect(answers).toContainText(answer);
        await arrived(page);
      }
      await expect(check(page, 'Water the plants')).toHaveCount(0);
      await expect(check(page, 'buy milk')).toBeVisible();
    });
  });
}

test('keyboard focus stays in the list when samples change', async ({ page, docket }) => {
  await setUpLive(page, docket);
  await page.getByRole('button', { name: 'Add a sample list' }).focus();
  await page.keyboard.press('Enter');
  await expect(check(page, 'Water the plants')).toBeFocused();
  await page.getByRole('button', { name: 'Remove the samples' }).focus();
  await page.keyboard.press('Enter');
  await expect(page.getByRole('button', { name: 'Add a sample list' })).toBeFocused();
  await visit(page, `${docket.origin}/tasks`);
  await page.getByRole('button', { name: 'Add a sample list' }).focus();
  await page.keyboard.press('Enter');
  await expect(check(page, 'Water the plants')).toBeFocused();
  await page.getByLabel('Add a task').fill('my own');
  await page.keyboard.press('Enter');
  await expect(check(page, 'my own')).toBeVisible();
  await page.getByRole('button', { name: 'Remove the samples' }).focus();
  await page.keyboard.press('Enter');
  await expect(check(page, 'my own')).toBeFocused();
  await check(page, 'my own').click();
  await expect(page.getByText('Your list is empty')).toBeVisible();
});

test('mod+Z undoes whole changes in reverse order', async ({ page, docket }) => {
  await setUpLive(page, docket);
  await say(page, 'add milk and then add eggs');
  await visit(page, `${docket.origin}/tasks`);
  const bar = page.getByRole('form', { name: 'Selected tasks' });
  await bar.getByLabel('Select several').check();
  for (const title of ['milk', 'eggs']) await page.getByRole('checkbox', { name: `Select: ${title}` }).check();
  await bar.getByLabel('Priority').selectOption('high');
  await bar.getByRole('button', { name: 'Set priority' }).click();
  await expect(page.locator('.task-item__priority')).toHaveCount(2);
  await check(page, 'milk').click();
  await expect(check(page, 'milk')).toHaveCount(0);

  // Loaded anew: no message offers anything.
  await visit(page, `${docket.origin}/audit`);
  await visit(page, `${docket.origin}/tasks`);
  await expect(page.getByRole('button', { name: 'Undo' })).toHaveCount(0);
  await page.locator('body').press('ControlOrMeta+z');
  await expect(check(page, 'milk')).toBeVisible();
  await expect(status(page)).toContainText('Undone: “milk”.');
  await page.locator('body').press('ControlOrMeta+z');
  await expect(page.locator('.task-item__priority')).toHaveCount(0);
  await expect(status(page)).toContainText(/Undone: “(milk|eggs)”, “(milk|eggs)”\./);
  // In a field the key is the browser's.
  await page.getByLabel('Add a task').fill('half');
  await page.getByLabel('Add a task').press('ControlOrMeta+z');
  await page.evaluate(() => document.activeElement.blur());
  await expect(check(page, 'milk')).toBeVisible();
  // What Docket did for its person is one group as well.
  await page.locator('body').press('ControlOrMeta+z');
  await expect(page.getByText('Your list is empty')).toBeVisible();
});

test.describe('with nothing left', () => {
  test.use({ expected: [/status of 409/] });

  test('mod+Z says so', async ({ page, docket }) => {
    await setUpLive(page, docket);
    await page.locator('body').press('ControlOrMeta+z');
    await expect(page.getByRole('alert').filter({ hasText: 'There is nothing to undo from the last hour.' })).toBeVisible();
  });
});

test.describe('in Tokyo', () => {
  test.use({ timezoneId: 'Asia/Tokyo' });

  test('the browser time zone is proposed except in focused fields', async ({ page, docket }) => {
    const zone = page.getByLabel('Time zone');
    await visit(page, docket.link);
    await expect(zone).toHaveValue('Asia/Tokyo');
    const release = await hold(page, '**/pkg/docket.js*');
    await page.goto(docket.link);
    await zone.focus();
    release();
    await live(page);
    await expect(zone).toHaveValue('UTC');
  });
});
