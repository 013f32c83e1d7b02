// The twelve flows that make the product, once with a pointer and no script, once with a script and no pointer.
import { check, expect, live, onDocket, PASSWORD, post, row, tell } from './common.mjs';
import { Keyboard, Pointer } from './hands.mjs';

const TITLES = ['Buy milk', 'Call mum', 'Pay rent', 'Fix the bike', 'Sort photographs'];
const list = (page, title) => page.locator('.task-item').filter({ hasText: title });
const button = (within, name) => within.getByRole('button', { name, exact: typeof name === 'string' });

/** Says something in the chat. */
async function say({ page, hands, go }, text) {
  await go('/');
  const answers = page.locator('.message-item:not(.message-item--mine)');
  const before = await answers.count();
  await hands.write(page.getByLabel('Message', { exact: true }), text);
  await hands.press(button(page, 'Send'));
  await expect(answers).toHaveCount(before + 1);
  return answers.last();
}

/** Asks for a deletion and answers the request with the button of that name. */
async function decide(at, task, name) {
  await say(at, `delete task ${task}`);
  const dialog = at.page.getByRole('dialog', { name: 'Approval request' });
  const card = at.scripted ? dialog : at.page.locator('.approval-card--pending');
  await at.hands.press(button(card.last(), name));
}

async function remove({ page, hands, go }, title) {
  await go('/tasks');
  await hands.press(list(page, title).locator('summary'));
  await hands.press(button(list(page, title), 'Delete'));
  await expect(list(page, title)).toHaveCount(0);
}

/** Leads from the record to the whole story of its latest turn. */
async function openTurn({ page, hands, go }) {
  await go('/audit');
  await hands.press(page.locator('.audit-row').first());
  await expect(page).toHaveURL(/\/audit\/.+/);
  await expect(page.getByRole('heading', { name: 'Calls' }).first()).toBeVisible();
}

const FLOWS = {
  'sign in': async ({ page, hands, origin }) => {
    await page.context().clearCookies();
    await page.goto(`${origin}/tasks`);
    await hands.write(page.getByLabel('Name'), 'ada');
    await hands.write(page.getByLabel('Password'), PASSWORD);
    await hands.press(button(page, 'Sign in'));
    await expect(page).toHaveURL(`${origin}/tasks`);
  },
  add: async ({ page, hands, go }) => {
    await go('/tasks');
    await hands.write(page.getByLabel('Add a task'), 'Water the ferns tomorrow');
    await hands.press(button(page, 'Add'));
    await expect(list(page, 'Water the ferns')).toContainText('Tomorrow');
  },
  edit: async ({ page, hands, go }) => {
    await go('/tasks');
    await hands.press(list(page, 'Water the ferns').locator('summary'));
    await hands.write(list(page, 'Water the ferns').getByLabel('Title'), 'Water the roses');
    await hands.press(button(list(page, 'Water the'), 'Save'));
    await expect(check(page, 'Water the roses')).toBeVisible();
  },
  complete: async ({ page, hands, go }) => {
    await go('/tasks');
    await hands.press(check(page, TITLES[0]));
    await expect(check(page, TITLES[0])).toHaveCount(0);
  },
  delete: (at) => remove(at, TITLES[1]),
  undo: async (at) => {
    await remove(at, TITLES[2]);
    await at.hands.press(button(at.page.getByRole('status'), 'Undo'));
    await expect(list(at.page, TITLES[2])).toHaveCount(1);
  },
  'chat turn': async (at) => {
    await expect(await say(at, 'add learn the cello')).toContainText(/cello/i);
    await expect(check(at.page, 'learn the cello')).toBeVisible();
  },
  approve: async (at) => {
    await decide(at, 4, 'Delete task');
    await expect(check(at.page, TITLES[3])).toHaveCount(0);
  },
  deny: async (at) => {
    await decide(at, 5, 'Keep task');
    await expect(at.page.locator('.approval-card--rejected')).toBeVisible();
    await expect(check(at.page, TITLES[4])).toBeVisible();
  },
  'filter the log': async ({ page, hands, go }) => {
    await go('/audit');
    await hands.write(page.getByRole('search').getByRole('searchbox').or(page.getByLabel('Text')), 'cello');
    await page.keyboard.press('Enter');
    await expect(page).toHaveURL(/text=cello/);
    await expect(page.locator('.audit-row')).toHaveCount(1);
  },
  'open a turn': openTurn,
  export: async ({ page, hands, go }) => {
    await go('/audit');
    const link = page.getByRole('link', { name: /JSONL|CSV|Export/i });
    if (!(await link.first().isVisible())) await hands.press(page.getByText(/Export|More/).first());
    const [file] = await Promise.all([page.waitForEvent('download'), hands.press(link)]);
    expect(file.suggestedFilename()).toMatch(/docket/);
  },
};

/** Works through all flows; those that failed, with the reason. */
async function run(docket, name, scripted, Hands) {
  const context = await docket.enter({ javaScriptEnabled: scripted });
  const page = await context.newPage();
  page.setDefaultTimeout(10_000);
  for (const text of TITLES) await post(docket, context, 'tasks/add', { text });
  const hands = new Hands(page);
  const go = async (path) => {
    await page.goto(docket.origin + path);
    if (scripted) await live(page);
  };
  const failed = [];
  for (const [flow, act] of Object.entries(FLOWS)) {
    try {
      await act({ page, hands, scripted, go, origin: docket.origin });
    } catch (error) {
      failed.push(flow);
      tell(`${name}: ${flow}: ${error.message.slice(0, 600)}`);
    }
  }
  for (const unseen of new Set(hands.unseen)) tell(`${name}: focus not seen: ${unseen}`);
  await context.close();
  return { failed, unseen: new Set(hands.unseen).size };
}

export async function flows() {
  const count = Object.keys(FLOWS).length;
  const plain = await onDocket({}, (docket) => run(docket, 'no script', false, Pointer));
  const keys = await onDocket({}, (docket) => run(docket, 'keyboard', true, Keyboard));
  const of = ({ failed }) => `${count - failed.length} of ${count}${failed.length > 0 ? ` (not: ${failed.join(', ')})` : ''}`;
  return [
    row('core flows with JavaScript off', of(plain), `${count} of ${count}`, plain.failed.length === 0),
    row('core flows by the keyboard alone', of(keys), `${count} of ${count}`, keys.failed.length === 0),
    row('stops of those at which the focus is not seen', `${keys.unseen}`, '0', keys.unseen === 0),
  ];
}
