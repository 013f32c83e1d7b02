// Text that would be markup, or ends its lines in two signs: a form that is opened and saved leaves it as it is, and it stays text.
import { inflateRawSync } from 'node:zlib';
import { editor, expect, live, setUp, test, visit } from './docket.js';

/** Notes as they are sent, and as they are stored. */
const NOTES = [
  ['one\r\ntwo\rthree\n\n  four', 'one\ntwo\nthree\n\n  four'],
  ['\nbelow an empty line'],
  ['\r\n\r\nbelow two', '\n\nbelow two'],
  ['&amp; &lt;b&gt; &#13; &notin; &'],
  ['</textarea></label></form><form method="post" action="/api/v1/approvals/decide"><input name="verdict" value="approve">'],
  ['</TEXTAREA ><meta http-equiv="refresh" content="0;url=/settings">'],
  ['<!-- --> ]]> </title></script><script>document.title = "owned"</script>'],
  ['"\'><img src="/nowhere.png" onerror="document.title = 1"><svg onload="document.title = 2">'],
  ['a\u2028b {{7*7}} ${7*7}'],
];
const stored = ([sent, kept]) => kept ?? sent;

/** Sends a form to the API as the person who is signed in. */
async function post(page, docket, path, form) {
  const answer = await page.request.post(`${docket.origin}/api/v1/${path}`, { form });
  expect(answer.status(), await answer.text()).toBe(200);
  return answer.json();
}

async function task(page, docket, number) {
  const answer = await page.request.get(`${docket.origin}/api/v1/tasks/get?task_id=${number}`);
  return (await answer.json()).task;
}

/** That the page has no element which only the text could have brought. */
async function clean(page) {
  await expect(page.locator('meta[http-equiv], img, [onload], [onerror], form[action="/api/v1/approvals/decide"], input[name="verdict"]')).toHaveCount(0);
  await expect(page).toHaveTitle(/ · Docket$/);
}

for (const scripted of [true, false]) {
  test.describe(scripted ? 'with a script' : 'without a script', () => {
    test.use({ javaScriptEnabled: scripted });

    test('notes stay identical when their form is saved unchanged', async ({ page, docket }) => {
      await setUp(page, docket);
      for (const notes of NOTES) await post(page, docket, 'tasks/add', { title: '</title><b>&amp;', description: notes[0], project: 'a & <b>' });
      for (const [at, notes] of NOTES.entries()) {
        const before = await task(page, docket, at + 1);
        expect(before.description).toBe(stored(notes));
        for (const place of [`/tasks/${at + 1}`, '/tasks?view=all']) {
          await page.goto(docket.origin + place);
          if (scripted) await live(page);
          const detail = place !== '/tasks?view=all';
          const row = page.locator('.task-item').filter({ hasText: `#${at + 1}` }).first();
          const home = detail ? page.locator('.task-detail') : await editor(page, row, scripted);
          await expect(home.getByLabel('Notes')).toHaveValue(stored(notes));
          await clean(page);
          const saved = page.waitForResponse((answer) => answer.url().endsWith('/api/v1/tasks/update'));
          await home.getByRole('button', { name: 'Save' }).click();
          await saved;
          if (!scripted) await page.waitForLoadState();
          const after = await task(page, docket, at + 1);
          expect({ ...after, version: 0, updated_at: '' }).toEqual({ ...before, version: 0, updated_at: '' });
        }
      }
    });

    test('an import preview preserves the text exactly', async ({ page, docket }) => {
      await setUp(page, docket);
      const cell = (text) => `"${text.replaceAll('"', '""')}"`;
      const table = `title,description\n${NOTES.map((notes, at) => `row ${at},${cell(stored(notes))}`).join('\n')}`;
      await page.goto(`${docket.origin}/tasks/import`);
      if (scripted) await live(page);
      const field = page.getByLabel('Or paste the text');
      await field.fill(table);
      for (let twice = 0; twice < 2; twice += 1) {
        await page.getByRole('button', { name: 'Preview' }).click();
        await expect(page.getByRole('button', { name: `Add ${NOTES.length} tasks` })).toBeVisible();
        await expect(field).toHaveValue(table);
        const packed = await page.locator('input[name=packed]').inputValue();
        expect(inflateRawSync(Buffer.from(packed, 'base64url')).toString().replaceAll('\r\n', '\n')).toBe(table);
        await clean(page);
      }
      await page.getByRole('button', { name: `Add ${NOTES.length} tasks` }).click();
      await expect(page.getByText(`Added ${NOTES.length} tasks`).first()).toBeVisible();
      for (const [at, notes] of NOTES.entries()) {
        const found = await task(page, docket, at + 1);
        expect(found.description).toBe(stored(notes));
      }
    });

    test('a conversation and a zone stay as they are', async ({ page, docket }) => {
      await setUp(page, docket);
      const turn = await post(page, docket, 'chat', { message: 'add </title><b>&amp;' });
      const title = '</title><script>document.title = 3</script> &amp; "x"';
      await post(page, docket, 'conversations/rename', { conversation_id: turn.conversation_id, title });
      await page.goto(`${docket.origin}/conversations`);
      if (scripted) await live(page);
      await page.locator('.conversation-item summary').click();
      const field = page.getByRole('textbox', { name: 'Title' });
      await expect(field).toHaveValue(title);
      const renamed = page.waitForResponse((answer) => answer.url().endsWith('/api/v1/conversations/rename'));
      await page.getByRole('button', { name: 'Rename' }).click();
      await renamed;
      const list = await page.request.get(`${docket.origin}/api/v1/conversations/list`);
      expect((await list.json()).map((it) => it.title)).toEqual([title]);
      await clean(page);
      await page.goto(`${docket.origin}/settings`);
      if (scripted) await live(page);
      const zone = page.getByRole('combobox', { name: 'Zone' }).or(page.getByRole('textbox', { name: 'Zone' }));
      await expect(zone).toHaveValue('Europe/London');
      await page.getByRole('button', { name: 'Save time zone' }).click();
      await expect(zone).toHaveValue('Europe/London');
    });

    test('what a model and a person say is text', async ({ page, docket }) => {
      await setUp(page, docket);
      for (const notes of NOTES) await post(page, docket, 'chat', { message: `add ${stored(notes)}` });
      const list = await (await page.request.get(`${docket.origin}/api/v1/conversations/list`)).json();
      for (const talk of list) {
        await page.goto(`${docket.origin}/?c=${talk.conversation_id}`);
        if (scripted) await live(page);
        await expect(page.locator('.message-item--mine .message-item__text')).toHaveCount(1);
        await clean(page);
      }
    });
  });
}

test.describe('without a script', () => {
  test.use({ javaScriptEnabled: false, expected: [/status of 422/] });

  test('a refused draft is returned unchanged each time', async ({ page, docket }) => {
    await setUp(page, docket);
    for (const notes of NOTES) {
      // Too long also without the empty lines at its start, which do not count.
      const draft = stored(notes).padEnd(8_010, 'x');
      const field = page.getByLabel('Message', { exact: true });
      await page.goto(docket.origin);
      await field.fill(draft);
      for (let twice = 0; twice < 2; twice += 1) {
        await page.getByRole('button', { name: 'Send' }).click();
        await expect(page.locator('.error[role="alert"]')).toContainText('the limit is 8000');
        await expect(field).toHaveValue(draft);
        await clean(page);
      }
    }
  });
});

test('a server rendered form shows notes changed elsewhere', async ({ page, docket }) => {
  await setUp(page, docket);
  await post(page, docket, 'tasks/add', { title: 'buy milk', description: 'first' });
  await visit(page, `${docket.origin}/tasks/1`);
  const home = page.locator('.task-detail');
  const field = home.getByLabel('Notes');
  await expect(field).toHaveValue('first');
  for (const text of ['\nsecond </textarea><b>', 'third', '']) {
    await post(page, docket, 'tasks/update', { task_id: '1', description: text });
    await expect(field).toHaveValue(text);
  }
  await post(page, docket, 'tasks/update', { task_id: '1', description: 'last' });
  await expect(field).toHaveValue('last');
  const saved = page.waitForResponse((answer) => answer.url().endsWith('/api/v1/tasks/update'));
  await home.getByRole('button', { name: 'Save' }).click();
  await saved;
  expect((await task(page, docket, 1)).description).toBe('last');
  // What was typed and saved is what a later reset goes back to.
  await field.fill('typed\nhere');
  const stored = page.waitForResponse((answer) => answer.url().endsWith('/api/v1/tasks/update'));
  await home.getByRole('button', { name: 'Save' }).click();
  await stored;
  await post(page, docket, 'tasks/update', { task_id: '1', description: 'and then' });
  await expect(field).toHaveValue('and then');
});
