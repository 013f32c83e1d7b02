// A list, conversations, requests and a record that look like a week's use, and the same on every day of the week.
import { post } from './common.mjs';

const TASKS = [
  'Pay rent yesterday #Home p1', 'Buy milk, eggs and bread today @errands', 'Call mum tomorrow 5pm #Family',
  'Send the quarterly report in 5 days 9:30 #Work p2 @office', 'Water the ferns every day #Home',
  'Read "The 5th Wave" and write up notes for the book club, including questions about chapters one through twelve',
  'Book the dentist in 3 days p3', 'Renew the passport in 9 days @errands', 'Try the new recipe', 'Sort old photographs #Family',
  'Fix the bike', 'Plan the trip to Lisbon #Travel @someday',
];
const SAID = [
  'what is due today?', 'complete try the new recipe', 'add buy stamps tomorrow p1, then add post the letter', 'show my tasks',
  'delete task 99', 'groceries',
];

/** Fills the account; one request for approval waits at the end. Tells the ids of that request and of the record's latest turn. */
export async function fill(docket, context) {
  const say = (message, more) => post(docket, context, 'chat', { message, ...more });
  for (const text of TASKS) await post(docket, context, 'tasks/add', { text });
  await post(docket, context, 'tasks/update', { task_id: '3', description: 'Ask about the garden, and whether Sunday still stands.' });
  await post(docket, context, 'tasks/complete', { task_id: '11' });
  await post(docket, context, 'tasks/delete', { task_id: '10' });
  const first = await say(SAID[0]);
  const conversation_id = first.conversation_id;
  for (const message of SAID.slice(1)) await say(message, { conversation_id });
  for (const [task, verdict] of [[12, 'approve'], [8, 'reject']]) {
    const asked = await say(`delete task ${task}`, { conversation_id });
    await post(docket, context, 'approvals/decide', { approval_id: asked.approval.approval_id, verdict });
  }
  await say('hello', { conversation_id: '' }).catch(() => undefined);
  const asked = await say('delete task 7', { conversation_id });
  return { approval: asked.approval.approval_id, turn: asked.turn_id, conversation: conversation_id };
}

/** Every page of a filled account. */
export const pages = ({ approval, turn, conversation }) => ({
  chat: `/?c=${conversation}`, 'new-chat': '/?c=new', conversations: '/conversations',
  tasks: '/tasks', today: '/tasks?view=today', upcoming: '/tasks?view=upcoming', done: '/tasks?view=done', bin: '/tasks?view=bin',
  project: '/tasks?project=Home', search: '/tasks?q=report', task: '/tasks/3', 'as-of': '/tasks/as-of', import: '/tasks/import',
  approvals: '/approvals', approval: `/approvals/${approval}`, audit: '/audit',
  filtered: '/audit?kind=INVOKE_TOOL&risk=low', story: `/audit/${turn}`,
  settings: '/settings', memory: '/settings/memory', users: '/admin/users', api: '/api',
});

/** Pages for who is not signed in. */
export const DOORS = { 'sign-in': '/sign-in', join: '/join?token=x', 'set-up': '/setup?token=x', nowhere: '/nowhere' };

/** Pages that say something else while there is nothing. */
export const EMPTY = {
  chat: '/', tasks: '/tasks', today: '/tasks?view=today', upcoming: '/tasks?view=upcoming',
  done: '/tasks?view=done', bin: '/tasks?view=bin',
  conversations: '/conversations', approvals: '/approvals', audit: '/audit', memory: '/settings/memory', settings: '/settings',
};

/** Waits until a page is there with its fonts, and its script has taken over where it has one. */
export async function shown(page, url) {
  await page.goto(url);
  const scripted = await page.locator('script[type=module]').count() > 0;
  if (scripted) await page.locator('html[data-live]').waitFor();
  await page.evaluate(() => document.fonts.ready);
}
