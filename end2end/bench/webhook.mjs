// Updates from Telegram while the model hangs: how long the webhook takes to answer, which is until the update is durable. The model's
// provider is end2end/mockllm, which takes every request and answers none; the Bot API is a stand-in in this process.
import { spawn } from 'node:child_process';
import { createServer } from 'node:http';
import { createInterface } from 'node:readline';
import { send } from './http.mjs';
import { median, quantile, start } from './server.mjs';

const MOCK = new URL('../mockllm/mockllm.mjs', import.meta.url).pathname;
const SECRET = 'a-secret_word';
/** Chats in which somebody writes, one message after the other, all of them at once. */
const CHATS = 4;
const MESSAGES = 300;
const WARM_UP = 20;

/** Starts a provider that never answers; `hanging` counts the requests that it keeps waiting. */
async function provider() {
  const mock = spawn('node', [MOCK, '--port', '0', '--fault', 'timeout', '--log', '0'], { stdio: ['ignore', 'pipe', 'inherit'] });
  const line = await new Promise((ready) => createInterface({ input: mock.stdout }).once('line', ready));
  const url = line.split(' ').at(-1);
  const hanging = async () => JSON.parse((await send('GET', url.replace('/v1', '/_stats'), {})).text).counts.fault_timeout ?? 0;
  return { url, hanging, stop: () => mock.kill() };
}

/** A Bot API that does what it is asked; how many messages it took. */
async function botApi() {
  let sent = 0;
  const server = createServer((asked, answer) => {
    asked.resume().on('end', () => {
      const [, , method] = asked.url.split('/');
      const results = {
        getMe: { id: 1, is_bot: true, first_name: 'Docket', username: 'docket_bench_bot' },
        sendMessage: { message_id: (sent += 1), date: 1, chat: { id: 1, type: 'private' } },
      };
      answer.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ ok: true, result: results[method] ?? true }));
    });
  });
  await new Promise((ready) => server.listen(0, '127.0.0.1', ready));
  return { url: `http://127.0.0.1:${server.address().port}`, sent: () => sent, stop: () => server.close() };
}

/** One run on a fresh server: median and 99th percentile in ms. */
export async function webhook(binary, env = {}) {
  const [mock, bot] = [await provider(), await botApi()];
  const people = Array.from({ length: CHATS }, (_, i) => `user${i}`);
  const telegram = { DOCKET_TELEGRAM_TOKEN: '123456:bench', DOCKET_TELEGRAM_SECRET: SECRET, DOCKET_TELEGRAM_API: bot.url };
  const model = { DOCKET_ENGINE: 'compatible', DOCKET_LLM_BASE_URL: mock.url, DOCKET_LLM_MODEL: 'mock', DOCKET_LLM_TIMEOUT_MS: '120000' };
  const docket = await start(binary, people, { ...telegram, ...model, ...env }, 'chat,tasks:read,tasks:write,tasks:delete');
  try {
    let updates = 0;
    /** Tells the server what somebody wrote; the milliseconds until it has it. */
    const tell = async (chat, text) => {
      const whose = { id: chat, is_bot: false, first_name: 'Ada' };
      const message = { message_id: 1, date: 1_770_000_000, chat: { id: chat, type: 'private', first_name: 'Ada' }, from: whose, text };
      const headers = { 'content-type': 'application/json', 'x-telegram-bot-api-secret-token': SECRET };
      const body = JSON.stringify({ update_id: (updates += 1), message });
      const begun = performance.now();
      const { status } = await send('POST', `${docket.base}/telegram/webhook`, headers, body);
      if (status !== 200) throw new Error(`the webhook answered ${status}`);
      return performance.now() - begun;
    };
    const times = [];
    const write = async (token, i) => {
      const asked = { authorization: `Bearer ${token}`, 'content-type': 'application/x-www-form-urlencoded' };
      const { text } = await send('POST', `${docket.base}/api/v1/telegram/link`, asked);
      await tell(100 + i, `/start ${JSON.parse(text).code}`);
      for (let at = 0; at < WARM_UP + MESSAGES; at += 1) {
        const took = await tell(100 + i, `what would you say to number ${at}?`);
        if (at >= WARM_UP) times.push(took);
      }
    };
    await Promise.all(docket.tokens.map(write));
    if ((await mock.hanging()) < CHATS) throw new Error('the model was not asked');
    if (bot.sent() < CHATS) throw new Error('nothing was sent to the chats');
    return { p50: median(times), p99: quantile(times, 0.99) };
  } finally {
    // Its turns end with the provider.
    mock.stop();
    await docket.stop();
    bot.stop();
  }
}

if (process.argv[1] === import.meta.filename) {
  const [binary, ...pairs] = process.argv.slice(2);
  console.log(await webhook(binary, Object.fromEntries(pairs.map((pair) => pair.split(/=(.*)/s).slice(0, 2)))));
}
