// Short lists and long ones: how much longer a rules turn takes with 10,000 tasks than with 100.
import { median, start } from './server.mjs';
import { turn } from './turns.mjs';

const SHORT = 100;
const LONG = 10_000;
const TURNS = 40;
const VERBS = ['buy', 'call', 'fix', 'send', 'book'];
const THINGS = ['milk', 'bread', 'report', 'invoice', 'dentist', 'garden', 'letter', 'passport', 'bike', 'window', 'lamp', 'soup', 'train', 'hotel', 'piano'];

/** The title of the nth task: words that many others hold too, and a number that few do. */
const title = (n) => `${VERBS[n % 5]} ${THINGS[n % 15]} ${THINGS[Math.floor(n / 15) % 15]} ${(n * 7919) % 100_003}`;

/** What is said, given how many tasks there are: the nth message of each kind. */
const KINDS = {
  complete: (n) => `complete ${title(n + 1)}`,
  search: (n) => `search ${title(n + 50).split(' ').slice(2).join(' ')}`,
  common: (n) => `search ${THINGS[n % 15]}`,
  list: () => 'show my tasks',
  add: (n) => `add something new ${n}`,
};

/** Adds tasks until there are `count`. */
async function fill(docket, from, count) {
  const headers = { authorization: `Bearer ${docket.tokens[0]}`, 'content-type': 'application/x-www-form-urlencoded' };
  let next = from;
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

/** The median milliseconds of each kind, from the nth message on: no task can be completed twice. */
async function timed(docket, from) {
  const times = {};
  for (const [kind, message] of Object.entries(KINDS)) {
    const all = [];
    for (let n = from; n < from + TURNS; n += 1) all.push(await turn(docket.base, docket.tokens[0], message(n)));
    times[kind] = median(all);
  }
  return times;
}

/** One run on a fresh server: the ratio of each kind of turn, and the worst of them. */
export async function lists(binary, env) {
  const docket = await start(binary, ['ada'], env);
  try {
    await fill(docket, 0, SHORT);
    await timed(docket, 0);
    const short = await timed(docket, TURNS);
    await fill(docket, SHORT, LONG);
    const long = await timed(docket, 2 * TURNS);
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
