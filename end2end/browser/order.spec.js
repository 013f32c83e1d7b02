// The order by hand: by buttons with and without a script, by keys, by dragging; within a day and not beyond it; and back.
import { editor, expect, live, setUp, test } from './docket.js';

const row = (page, title) => page.locator('.task-item').filter({ hasText: title });
const titles = (page) => page.locator('.task-item__title');
const status = (page) => page.locator('.toast-region').getByRole('status');

/** Tasks by quick add, in this order; the page shows them. */
async function tasks(page, docket, lines, scripted = true) {
  await setUp(page, docket);
  await page.goto(`${docket.origin}/tasks`);
  if (scripted) await live(page);
  for (const [at, line] of lines.entries()) {
    await page.getByLabel('Add a task').fill(line);
    await page.getByLabel('Add a task').press('Enter');
    await expect(titles(page)).toHaveCount(at + 1);
  }
}

for (const scripted of [true, false]) {
  test.describe(scripted ? 'with a script' : 'without a script', () => {
    test.use({ javaScriptEnabled: scripted });

    test('a task moves by its buttons and Undo restores it', async ({ page, docket }) => {
      await tasks(page, docket, ['milk', 'eggs', 'bread'], scripted);
      const press = async (title, name) => (await editor(page, row(page, title), scripted)).getByRole('button', { name }).click();
      const last = await editor(page, row(page, 'bread'), scripted);
      await expect(last.getByRole('button', { name: 'Move down' })).toBeDisabled();
      await press('bread', 'Move up');
      await expect(titles(page)).toHaveText(['milk', 'bread', 'eggs']);
      await expect(status(page)).toContainText('Moved “bread” above “eggs”.');
      await press('bread', 'Move up');
      await expect(titles(page)).toHaveText(['bread', 'milk', 'eggs']);
      await expect(status(page)).toContainText('Moved “bread” above “milk”.');
      await page.goto(`${docket.origin}/tasks`);
      if (scripted) await live(page);
      await expect(titles(page), 'it stays so').toHaveText(['bread', 'milk', 'eggs']);
      await press('milk', 'Move down');
      await expect(titles(page)).toHaveText(['bread', 'eggs', 'milk']);
      await status(page).getByRole('button', { name: 'Undo' }).click();
      await expect(titles(page)).toHaveText(['bread', 'milk', 'eggs']);
    });
  });
}

test('keyboard moves reorder the focused row and keep its focus', async ({ page, docket }) => {
  await tasks(page, docket, ['milk', 'eggs', 'bread']);
  await row(page, 'bread').locator('summary').focus();
  await page.keyboard.press('Shift+K');
  await expect(titles(page)).toHaveText(['milk', 'bread', 'eggs']);
  await expect(row(page, 'bread').locator('summary')).toBeFocused();
  await page.keyboard.press('Shift+K');
  await expect(titles(page)).toHaveText(['bread', 'milk', 'eggs']);
  await expect(row(page, 'bread').locator('summary')).toBeFocused();
  await page.keyboard.press('Shift+J');
  await expect(titles(page)).toHaveText(['milk', 'bread', 'eggs']);
  // By the button alone the focus stays with the row too, also where the button has nothing more to do.
  await page.keyboard.press('Enter');
  const up = row(page, 'bread').getByRole('button', { name: 'Move up' });
  await up.focus();
  await page.keyboard.press('Enter');
  await expect(titles(page)).toHaveText(['bread', 'milk', 'eggs']);
  await expect(row(page, 'bread').getByRole('button', { name: 'Move down' })).toBeFocused();
});

test('moves of two rows both persist in any response order', async ({ page, docket }) => {
  await tasks(page, docket, ['milk', 'eggs', 'bread', 'rent']);
  let go;
  const held = new Promise((resolve) => { go = resolve; });
  await page.route('**/api/v1/tasks/move', async (route) => { await held; await route.continue(); });
  await row(page, 'bread').locator('summary').focus();
  await page.keyboard.press('Shift+K');
  await row(page, 'rent').locator('summary').focus();
  await page.keyboard.press('Shift+K');
  const wanted = ['milk', 'bread', 'rent', 'eggs'];
  await expect(titles(page)).toHaveText(wanted);
  await page.evaluate(() => {
    window.orders = new Set();
    const note = () => window.orders.add([...document.querySelectorAll('.task-item__title')].map((it) => it.textContent).join());
    new MutationObserver(note).observe(document.querySelector('.task-list'), { childList: true, subtree: true });
  });
  const [second] = await Promise.all([
    page.waitForResponse(async (answer) => answer.url().endsWith('/tasks/move') && (await answer.json()).title === 'rent'),
    go(),
  ]);
  expect(second.status()).toBe(200);
  await expect(status(page)).toContainText('Moved “rent” above “eggs”.');
  expect(await page.evaluate(() => [...window.orders].filter((order) => order !== 'milk,bread,rent,eggs'))).toEqual([]);
  await page.reload();
  await expect(titles(page)).toHaveText(wanted);
});

test('moves that wait go out from the next page too', async ({ page, docket }) => {
  await tasks(page, docket, ['milk', 'eggs', 'bread', 'rent']);
  let go;
  const held = new Promise((resolve) => { go = resolve; });
  await page.route('**/api/v1/tasks/move', async (route) => { await held; await route.continue(); });
  await row(page, 'milk').locator('summary').focus();
  for (const order of [['eggs', 'milk', 'bread', 'rent'], ['eggs', 'bread', 'milk', 'rent'], ['eggs', 'bread', 'rent', 'milk']]) {
    await page.keyboard.press('Shift+J');
    await expect(titles(page)).toHaveText(order);
  }
  await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Settings' }).click();
  await expect(page).toHaveURL(/\/settings/);
  await expect(page.locator('.task-item')).toHaveCount(0);
  go();
  await expect(status(page)).toContainText('Moved “milk” below “rent”.');
  await page.goto(`${docket.origin}/tasks`);
  await expect(titles(page)).toHaveText(['eggs', 'bread', 'rent', 'milk']);
});

test('Caps Lock moves no row', async ({ page, docket }) => {
  await tasks(page, docket, ['milk', 'eggs']);
  await row(page, 'eggs').locator('summary').focus();
  // A capital without Shift.
  await page.keyboard.press('K');
  await expect(row(page, 'milk').locator(':focus')).toHaveCount(1);
  await page.keyboard.press('J');
  await expect(row(page, 'eggs').locator(':focus')).toHaveCount(1);
  await expect(titles(page)).toHaveText(['milk', 'eggs']);
});

test('a row dropped at its own position sends no move', async ({ page, docket }) => {
  await tasks(page, docket, ['mail tomorrow', 'call tomorrow', 'read']);
  const moves = [];
  page.on('request', (request) => { if (request.url().endsWith('/tasks/move')) moves.push(request.postData()); });
  await row(page, 'call').hover();
  const line = row(page, 'mail').locator('.task-item__line');
  const { height } = await line.boundingBox();
  await row(page, 'call').locator('.task-item__grip').dragTo(line, { targetPosition: { x: 100, y: height - 4 } });
  await expect(page.locator('[data-lifted], [data-drop]')).toHaveCount(0);
  await row(page, 'mail').locator('summary').click();
  await row(page, 'mail').getByLabel('Due').fill('in 3 days');
  await row(page, 'mail').getByRole('button', { name: 'Save' }).click();
  await expect(titles(page)).toHaveText(['call', 'mail', 'read']);
  const headings = page.locator('.task-list__heading');
  await expect(headings).toHaveCount(3);
  await expect(headings.first()).toHaveText('Tomorrow');
  expect(moves).toEqual([]);
});

test.describe('the grip', () => {
  test('the drag handle appears after hydration without shifting the row', async ({ page, docket }) => {
    await tasks(page, docket, ['milk', 'eggs']);
    let release;
    const held = new Promise((resolve) => { release = resolve; });
    await page.route('**/docket.wasm', async (route) => { await held; await route.continue(); });
    await page.goto(`${docket.origin}/tasks`);
    const grip = row(page, 'milk').locator('.task-item__grip');
    await row(page, 'milk').hover();
    await expect(grip).toBeHidden();
    const before = await row(page, 'milk').locator('.task-item__title').boundingBox();
    release();
    await live(page);
    await expect(grip).toBeVisible();
    await expect(grip).toHaveCSS('opacity', '1');
    expect(await row(page, 'milk').locator('.task-item__title').boundingBox(), 'nothing moves').toEqual(before);
    const box = await grip.boundingBox();
    expect(Math.min(box.width, box.height)).toBeGreaterThanOrEqual(24);
    for (const part of ['.task-item__check', '.task-item__line']) {
      const other = await row(page, 'milk').locator(part).boundingBox();
      expect(other.x + other.width <= box.x || box.x + box.width <= other.x, part).toBe(true);
    }
  });

  test.describe('without a script', () => {
    test.use({ javaScriptEnabled: false });

    test('is not shown', async ({ page, docket }) => {
      await tasks(page, docket, ['milk', 'eggs'], false);
      await row(page, 'milk').hover();
      await expect(row(page, 'milk').locator('.task-item__grip')).toBeHidden();
    });
  });
});

test('a row is dragged within its day, and no further', async ({ page, docket }) => {
  await tasks(page, docket, ['report tomorrow p1', 'mail tomorrow', 'call tomorrow', 'read']);
  await expect(titles(page)).toHaveText(['report', 'mail', 'call', 'read']);
  const grip = async (title) => {
    await row(page, title).hover();
    return row(page, title).locator('.task-item__grip');
  };
  await expect(row(page, 'read').locator('.task-item__grip'), 'it is alone').toHaveCount(0);
  // Above the one that matters more.
  await (await grip('call')).dragTo(row(page, 'report').locator('.task-item__line'), { targetPosition: { x: 100, y: 4 } });
  await expect(titles(page)).toHaveText(['call', 'report', 'mail', 'read']);
  await expect(status(page)).toContainText('Moved “call” above “report”.');
  await (await grip('call')).dragTo(row(page, 'read').locator('.task-item__line'));
  await expect(titles(page)).toHaveText(['call', 'report', 'mail', 'read']);
  await expect(page.locator('[data-drop]')).toHaveCount(0);
  // Another date is another place: the hand's order is given up for it.
  await row(page, 'call').locator('summary').click();
  await row(page, 'call').getByLabel('Due').fill('');
  await row(page, 'call').getByRole('button', { name: 'Save' }).click();
  await expect(titles(page)).toHaveText(['report', 'mail', 'call', 'read']);
});

test('a remote reorder during a drag cancels the drag', async ({ page, docket }) => {
  await tasks(page, docket, ['milk', 'eggs', 'bread']);
  const moves = [];
  page.on('request', (request) => { if (request.url().endsWith('/tasks/move')) moves.push(request.postData()); });
  const centre = async (locator) => {
    const box = await locator.boundingBox();
    return [box.x + box.width / 2, box.y + box.height / 2];
  };
  await row(page, 'milk').hover();
  await page.mouse.move(...await centre(row(page, 'milk').locator('.task-item__grip')));
  await page.mouse.down();
  await expect(page.locator('[data-lifted]')).toContainText('milk');
  const elsewhere = async (form) => {
    const answer = await page.request.post(`${docket.origin}/api/v1/tasks/move`, { form, headers: { origin: docket.origin } });
    expect(answer.status()).toBe(200);
  };
  // Each of them, so that this one is taken out of the document however the list is put in order.
  for (const [form, order] of [
    [{ task_id: '1', after: '3' }, ['eggs', 'bread', 'milk']],
    [{ task_id: '3', before: '2' }, ['bread', 'eggs', 'milk']],
    [{ task_id: '1', before: '3' }, ['milk', 'bread', 'eggs']],
  ]) {
    await elsewhere(form);
    await expect(titles(page)).toHaveText(order);
  }
  // Nothing of the list hears of it.
  await page.mouse.move(...await centre(page.getByRole('heading', { level: 1 })));
  await page.mouse.up();
  await page.mouse.move(...await centre(row(page, 'bread')));
  await page.mouse.move(...await centre(row(page, 'eggs')));
  await expect(page.locator('[data-lifted], [data-drop]')).toHaveCount(0);
  await expect(titles(page)).toHaveText(['milk', 'bread', 'eggs']);
  expect(moves).toEqual([]);
});

test.describe('by a finger', () => {
  test.use({ hasTouch: true, isMobile: true, viewport: { width: 390, height: 780 } });

  /** A finger, as the browser hears of it from the screen: `move` goes in steps, as a real one does. */
  const finger = async (page) => {
    const screen = await page.context().newCDPSession(page);
    const send = (type, ...touchPoints) => screen.send('Input.dispatchTouchEvent', { type, touchPoints });
    let at;
    return {
      down: async (locator) => {
        const box = await locator.boundingBox();
        at = { x: box.x + box.width / 2, y: box.y + box.height / 2 };
        await send('touchStart', at);
      },
      move: async (locator) => {
        const box = await locator.boundingBox();
        const [from, to] = [at.y, box.y + 4];
        for (const step of [0.25, 0.5, 0.75, 1]) {
          at = { x: at.x, y: from + (to - from) * step };
          await send('touchMove', at);
        }
      },
      // At once, whatever the way to the browser takes: a finger that rests lifts.
      sweep: async (from, to) => {
        const [begin, end] = [await from.boundingBox(), await to.boundingBox()];
        const steps = [0, 0.25, 0.5, 0.75, 1].map((step) => ({
          x: begin.x + begin.width / 2, y: begin.y + begin.height / 2 + (end.y + 4 - begin.y - begin.height / 2) * step,
        }));
        await Promise.all(steps.map((step, n) => send(n === 0 ? 'touchStart' : 'touchMove', step)));
      },
      up: () => send('touchEnd'),
    };
  };
  const line = (page, title) => row(page, title).locator('.task-item__line');

  test('a long press lifts a row to a new position', async ({ page, docket }) => {
    await tasks(page, docket, ['bread', 'milk', 'eggs']);
    const before = await titles(page).allTextContents();
    const [top, , bottom] = before;
    const hand = await finger(page);
    await hand.down(line(page, bottom));
    await expect(page.locator('[data-lifted]')).toContainText(bottom);
    await hand.move(line(page, top));
    await expect(row(page, top)).toHaveAttribute('data-drop', 'before');
    await hand.up();
    await expect(titles(page)).toHaveText([bottom, top, before[1]]);
    await expect(status(page)).toContainText(`Moved “${bottom}” above “${top}”.`);
    await expect(page.locator('[data-lifted], [data-drop]')).toHaveCount(0);
    await expect(page.locator('details[open].task-item__details'), 'it was no tap').toHaveCount(0);
    await page.reload();
    await expect(titles(page)).toHaveText([bottom, top, before[1]]);
  });

  test('a swipe scrolls the list and a tap opens rows', async ({ page, docket }) => {
    await page.clock.install();
    await tasks(page, docket, ['bread', 'milk', 'eggs']);
    const before = await titles(page).allTextContents();
    const hand = await finger(page);
    await hand.sweep(line(page, before[2]), line(page, before[0]));
    // Longer than a finger has to rest.
    await page.clock.fastForward(1000);
    await expect(page.locator('[data-lifted], [data-drop]')).toHaveCount(0);
    await hand.up();
    await line(page, before[1]).tap();
    await expect(row(page, before[1]).locator('details')).toHaveAttribute('open', '');
    await expect(titles(page)).toHaveText(before);
  });
});

test.describe('refused', () => {
  test.use({ expected: [/status of 409|ERR_CONNECTION_ABORTED/] });

  test('a refused move is reverted and shows the reason', async ({ page, docket }) => {
    await tasks(page, docket, ['milk', 'eggs']);
    // Something happens in between that the page does not hear of.
    await page.route('**/api/v1/tasks/move', async (route) => {
      await page.request.post(`${docket.origin}/api/v1/tasks/complete`, { form: { task_id: '1' }, headers: { origin: docket.origin } });
      await route.continue();
    });
    await page.route('**/api/v1/tasks/list*', (route) => route.abort('connectionaborted'));
    await row(page, 'eggs').locator('summary').focus();
    await page.keyboard.press('Shift+K');
    await expect(page.getByRole('alert').filter({ hasText: 'Task #1 is completed. Only open tasks can be reordered.' })).toBeVisible();
    await expect(titles(page).last()).toHaveText('eggs');
    await page.unrouteAll();
  });
});
