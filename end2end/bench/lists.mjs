// Short lists and long ones: how much longer a rules turn takes with 10,000 tasks than with 100.
import { median, start } from './server.mjs';
import { turn } from './turns.mjs';

const SHORT = 100;
const LONG = 10_000;
const TURNS = 60;
const VERBS = ['buy', 'call', 'fix', 'send', 'book'];
const THINGS = ['milk', 'bread', 'report', 'invoice', 'dentist', 'garden', 'letter', 'passport', 'bike', 'window', 'lamp', 'soup', 'train', 'hotel', 'piano'];

/** The title of the nth task: words that many others hold too, and a number that few do. */
const title = (n) => `${VERBS[n % 5]} ${THINGS[n % 15]} ${THINGS[Math.floor(n / 15) % 15]} ${(n * 7919) % 100_003}`;

/** What is said: the nth message of each kind. No task is completed twice. */
const KINDS = {
  complete: (n) => `complete ${title(n + 1)}`,
  search: (n) => `search ${title(n + 50).split(' ').slice(2).join(' ')}`,
  common: (n) => `search ${THINGS[n % 15]}`,
  list: () => 'show my tasks',
  add: (n) => `add something new ${n}`,
};

/** Adds tasks to a user's list until there are `count`. */
async function fill(docket, token, count) {
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/x-www-form-urlencoded' };
  let next = 0;
  const one = async () => {
    while (next < count) {
      next += 1;
      const answer = await fetch(`${docket.base}/api/v1/tasks/add`, { method: 'POST', headers, body: new URLSearchParams({ title: title(next) }) });
      if (!answer.ok) throw new Error(`${answer.status} ${await answer.text()}`);
      await answer.arrayBuffer();
    }
  };
  await Promise.all(Array.from({ length: 16 }, one));
}

/**
 * One run on a fresh server with a user for each length: the ratio of each kind of turn, and the worst of them. The two take
 * turns, so that a busy machine is as busy for both.
 */
export async function lists(binary, env) {
  const docket = await start(binary, ['ada', 'bob'], env);
  try {
    await fill(docket, docket.tokens[0], SHORT);
    await fill(docket, docket.tokens[1], LONG);
    const [short, long] = [{}, {}];
    for (const [kind, message] of Object.entries(KINDS)) {
      const times = [[], []];
      for (let n = 0; n < TURNS; n += 1) {
        for (const user of [0, 1]) times[user].push(await turn(docket.base, docket.tokens[user], message(n)));
      }
      [short[kind], long[kind]] = times.map(median);
    }
    const ratios = Object.fromEntries(Object.keys(KINDS).map((kind) => [kind, long[kind] / short[kind]]));
    return { ...ratios, worst: Math.max(...Object.values(ratios)), short, long };
  } finally {
    await docket.stop();
  }
}

if (process.argv[1] === import.meta.filename) {
  const [binary, ...pairs] = process.argv.slice(2);
  console.log(await lists(binary, Object.fromEntries(pairs.map((pair) => pair.split(/=(.*)/s).slice(0, 2)))));
}
