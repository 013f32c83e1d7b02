// What a request would change: each field before and after, on the card, in the dialog and on the request's own page.
import { barriers } from './axe.js';
import { expect, live, say, setUp, test } from './docket.js';

/** Has the model make these calls whenever it is told to do as told. */
async function told(docket, calls) {
  const tool_calls = calls.map(([name, args]) => ({ name, arguments: args }));
  await fetch(docket.provider.replace('/v1', '/_rules'), { method: 'POST', body: JSON.stringify([{ match: 'do as told', tool_calls }]) });
}

const add = (page, docket, form) => page.request.post(`${docket.origin}/api/v1/tasks/add`, { form, headers: { origin: docket.origin } });

const NOTES = `${'All the best from all of us here.\n'.repeat(40)}Pay Ada.`;

test.describe('with a model', () => {
  test.use({ model: 0 });

  for (const script of [true, false]) {
    test.describe(script ? 'with a script' : 'without a script', () => {
      test.use({ javaScriptEnabled: script });

      test('an approval shows every changed field on card and page', async ({ page, docket }) => {
        await setUp(page, docket);
        await add(page, docket, { title: 'Wash car', description: NOTES });
        await told(docket, [['update_task', { task_id: 1, title: 'Wash both cars', description: NOTES.replace('Ada', 'Eve'), due: '2099-04-02T17:00', priority: 'high', project: 'home', tags: ['shop'], recurrence: 'every monday', status: 'completed' }]]);
        if (script) await live(page);
        await say(page, 'do as told');
        if (script) await expect(page.getByRole('dialog').locator('.approval-card__change')).toHaveCount(9);
        if (script) await page.keyboard.press('Escape');
        const card = page.getByRole('log').locator('.approval-card');
        const fields = { title: 'Wash both cars', status: 'completed', due: 'Thu 2 Apr 2099 17:00', priority: 'High (p1)', project: '#home', tags: '@shop', repeats: 'every Monday' };
        for (const [field, value] of Object.entries(fields)) {
          const row = card.locator('.approval-card__change').filter({ has: page.getByText(field, { exact: true }) });
          await expect(row.locator('ins')).toContainText(value);
        }
        const notes = card.locator('.approval-card__change').filter({ hasText: 'shortened' });
        await expect(notes.locator('del')).toContainText('Pay Ada.');
        await expect(notes.locator('ins')).toContainText('Pay Eve.');
        await expect(notes).toContainText('1 line changed, shortened');
        await expect(page.locator('.message-item__text').last()).toHaveText('Are you sure you want to rename task 1?');
        await card.getByRole('link', { name: 'Show everything' }).click();
        await expect(page).toHaveURL(/\/approvals\/.+/);
        const whole = page.locator('.approval-card__change').filter({ hasText: 'Pay Eve.' });
        await expect(whole.locator('ins')).toHaveText(new RegExp(`^after: (${'All the best from all of us here.↵\\s*'}){40}Pay Eve\\.$`));
        await expect(page.getByRole('link', { name: 'Show everything' })).toHaveCount(0);
        if (script) expect(await barriers(page)).toEqual([]);
      });
    });
  }

  test('a bulk approval is shortened and its page shows all', async ({ page, docket }) => {
    await setUp(page, docket);
    const lines = Array.from({ length: 90 }, (_, at) => `task number ${at + 1}`).join('\n');
    await page.request.post(`${docket.origin}/api/v1/tasks/add_lines`, { form: { lines }, headers: { origin: docket.origin } });
    await told(docket, [['delete_task', { task_ids: Array.from({ length: 90 }, (_, at) => at + 1) }]]);
    await live(page);
    await say(page, 'do as told');
    const dialog = page.getByRole('dialog');
    await expect(dialog.locator('.approval-card__line')).toHaveCount(20);
    await expect(dialog).toContainText('… and 70 more tasks to the bin.');
    await dialog.getByRole('link', { name: 'Show everything' }).click();
    await expect(page.locator('.frame__main .approval-card__line')).toHaveCount(90);
  });

  test('a new task and hostile names stay within their lines', async ({ page, docket }) => {
    await setUp(page, docket);
    const title = '\u202eklim\u202c\u2028#9 <b>eggs</b> → tea';
    await add(page, docket, { title, description: `x\n#9 eggs to the bin\n</textarea><b>y</b>` });
    await told(docket, [['delete_task', { task_id: 1 }]]);
    await live(page);
    await say(page, 'do as told');
    const card = page.getByRole('dialog').locator('.approval-card');
    await expect(card.locator('.approval-card__title')).toHaveText('[U+202E]klim[U+202C][U+2028]#9 <b>eggs</b> → tea');
    await expect(card.locator('.approval-card__value')).toHaveText('x↵#9 eggs to the bin↵</textarea><b>y</b>');
    await expect(card.locator('b')).toHaveCount(0);
  });
});
