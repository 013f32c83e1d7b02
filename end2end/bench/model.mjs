// A model behind the server: what Docket adds to the provider's own time, how many turns it keeps waiting for one at once, and how
// soon the browser hears something. The provider is end2end/mockllm, in a process of its own.
import { execFileSync, spawn } from 'node:child_process';
import { createServer, request } from 'node:http';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { quantile, start } from './server.mjs';
import { turn } from './turns.mjs';

const MOCK = new URL('../mockllm/mockllm.mjs', import.meta.url).pathname;

/** Starts the provider with `delay` ms before each answer. */
async function provider(delay) {
  const mock = spawn('node', [MOCK, '--port', '0', '--delay', String(delay), '--log', '0'], { stdio: ['ignore', 'pipe', 'inherit'] });
  const line = await new Promise((ready) => createInterface({ input: mock.stdout }).once('line', ready));
  return { url: line.split(' ').at(-1), stop: () => mock.kill() };
}

/** Stands between and adds up how long the provider took, from a request's arrival to the end of its answer. */
async function watched(target) {
  let spent = 0;
  const server = createServer((asked, answer) => {
    const begun = performance.now();
    const { method, headers } = asked;
    const on = request(new URL(asked.url, target), { method, headers }, (given) => {
      answer.writeHead(given.statusCode, given.headers);
      given.pipe(answer);
      given.on('end', () => (spent += performance.now() - begun));
    });
    asked.pipe(on);
  });
  await new Promise((ready) => server.listen(0, '127.0.0.1', ready));
  const take = () => {
    const all = spent;
    spent = 0;
    return all;
  };
  return { url: `http://127.0.0.1:${server.address().port}/v1`, take, stop: () => server.close() };
}

const asked = (url) => ({ DOCKET_ENGINE: 'compatible', DOCKET_LLM_BASE_URL: url, DOCKET_LLM_MODEL: 'mock' });

/**
 * One user, 50 turns of one tool each: what is left of their time without the provider's, and by how much more that is once the user
 * has 2,000 memories, which each message is compared with.
 */
async function overhead(binary, examples) {
  const mock = await provider(50);
  const between = await watched(mock.url);
  const docket = await start(binary, ['ada'], asked(between.url));
  const measured = async () => {
    const added = [];
    for (let i = 0; i < 60; i += 1) {
      const whole = await turn(docket.base, docket.tokens[0], `add thing ${i}`);
      const own = whole - between.take();
      if (i >= 10) added.push(own);
    }
    return quantile(added, 0.95);
  };
  try {
    const added = await measured();
    execFileSync(join(examples, 'recalling'), [`sqlite://${docket.database}`, 'ada']);
    return { added, remembering: (await measured()) - added };
  } finally {
    await docket.stop();
    between.stop();
    mock.stop();
  }
}

/** Milliseconds from sending a message to the first event that a listener hears of it. */
async function firstEvent(docket) {
  const headers = { authorization: `Bearer ${docket.tokens[0]}`, accept: 'text/event-stream' };
  const stream = await fetch(`${docket.base}/api/v1/events`, { headers });
  const reader = stream.body.getReader();
  await reader.read();
  const sent = performance.now();
  const done = turn(docket.base, docket.tokens[0], 'add a thing that is heard of');
  for (;;) {
    const { value } = await reader.read();
    if (new TextDecoder().decode(value).includes('event:')) break;
  }
  const heard = performance.now() - sent;
  await done;
  await reader.cancel();
  return heard;
}

/** One user with a model that takes a second for each call: the 95th percentile of a one-tool turn, and of the first event, in ms. */
async function slow(binary) {
  const mock = await provider(1000);
  const docket = await start(binary, ['ada'], asked(mock.url));
  try {
    const whole = [];
    const first = [];
    for (let i = 0; i < 8; i += 1) {
      whole.push(await turn(docket.base, docket.tokens[0], `add thing ${i}`));
      first.push(await firstEvent(docket));
    }
    return { whole: quantile(whole, 0.95), first: quantile(first, 0.95) };
  } finally {
    await docket.stop();
    mock.stop();
  }
}

/** `users` at once with a model that takes 200 ms for each of a turn's two calls: the share of what the delays alone would allow, in percent. */
async function crowd(binary, users) {
  const mock = await provider(200);
  const docket = await start(binary, Array.from({ length: users }, (_, i) => `user${i}`), asked(mock.url));
  try {
    const begun = performance.now();
    let counted = 0;
    let resident = 0;
    const one = async (token, user) => {
      for (let i = 0; performance.now() - begun < 10_000; i += 1) {
        await turn(docket.base, token, `add thing ${i} of ${user}`);
        const at = performance.now() - begun;
        if (at > 2_000 && at < 10_000) counted += 1;
      }
    };
    const watch = setInterval(() => (resident = Math.max(resident, docket.resident())), 500);
    await Promise.all(docket.tokens.map((token, i) => one(token, i)));
    clearInterval(watch);
    return { share: (counted / 8 / (users / 0.4)) * 100, resident };
  } finally {
    await docket.stop();
    mock.stop();
  }
}

/** One run of all. */
export async function model(binary, examples) {
  const { added, remembering } = await overhead(binary, examples);
  const { whole, first } = await slow(binary);
  const few = await crowd(binary, 64);
  const many = await crowd(binary, 256);
  return { added, remembering, whole, first, few: few.share, many: many.share, resident: Math.max(few.resident, many.resident) };
}
