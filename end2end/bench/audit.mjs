// A long record: a million records that agents' calls made, and how long it takes to read them as pages, in figures, as a file, and
// whole. On an embedded database.
import { request } from 'node:http';
import { callTool, send } from './http.mjs';
import { quantile, start } from './server.mjs';

const PEOPLE = 64;
const RECORDS = 1_000_000;
/** Each rare one asks to delete a task. */
const RARELY = 1_000;
const PAGES = 20;
const DEEP = 50;
/** A word that about one turn in a thousand has, and one that none has: of the one a page finds little, of the other nothing. */
const RARE = 'heron';
const ABSENT = 'quagga';
const RARE_EVERY = 999;

/** Calls of tools until the record is as long as wanted: adding, finishing and listing, by everybody at once. */
async function fill(docket, records) {
  let calls = 0;
  let enough = Infinity;
  const one = async (token) => {
    for (let i = 0; calls < enough; i += 3) {
      const { task_id } = await callTool(docket.base, token, i, 'add_task', { title: i % RARE_EVERY === 0 ? `thing ${i} of the ${RARE}` : `thing ${i}` });
      await callTool(docket.base, token, i + 1, 'complete_task', { task_id });
      await callTool(docket.base, token, i + 2, 'list_tasks', { status: 'pending' });
      calls += 3;
      // An answer that names what waits for a yes.
      if (calls % RARELY < 3) await callTool(docket.base, token, i, 'delete_task', { task_id }).catch(() => {});
    }
  };
  // What a call leaves is measured, not supposed.
  enough = 4_000;
  await Promise.all(docket.tokens.map(one));
  const { records: first } = await verify(docket);
  enough = Math.ceil((calls * records) / first);
  await Promise.all(docket.tokens.map(one));
}

/** `docket audit verify`: how many records, and how many a second. */
async function verify(docket) {
  const begun = performance.now();
  const said = docket.docket(['audit', 'verify']);
  const [, records] = /verified (\d+) records/.exec(said);
  return { records: Number(records), rate: (Number(records) * 1000) / (performance.now() - begun) };
}

/** Milliseconds of each of `times` requests, one after another, and the last one's answer. */
async function timed(docket, headers, path, times) {
  const took = [];
  let answer;
  for (let n = 0; n < times; n += 1) {
    const begun = performance.now();
    answer = await send('GET', docket.base + path, headers);
    took.push(performance.now() - begun);
    if (answer.status !== 200) throw new Error(`${path}: ${answer.status} ${answer.text}`);
  }
  return { took, text: answer.text };
}

/** An export from its first byte to its last: rows a second, and how much the server's memory grew, in MB. */
async function exported(docket, headers, format) {
  const idle = docket.resident();
  let most = idle;
  const watch = setInterval(() => (most = Math.max(most, docket.resident())), 50);
  const begun = performance.now();
  const rows = await new Promise((resolve, reject) => {
    const call = request(`${docket.base}/api/v1/audit/export?format=${format}`, { headers }, (answer) => {
      let lines = 0;
      answer.on('data', (piece) => {
        for (const byte of piece) lines += byte === 10 ? 1 : 0;
      });
      answer.on('end', () => resolve(lines));
      answer.on('error', reject);
    });
    call.on('error', reject);
    call.end();
  });
  clearInterval(watch);
  return { rate: (rows * 1000) / (performance.now() - begun), rows, grown: most - idle };
}

/** One run: the figures of a record of `records` records. */
export async function audit(binary, env, records = RECORDS) {
  const people = Array.from({ length: PEOPLE }, (_, i) => `person${i}`);
  const docket = await start(binary, people, { DOCKET_SQLITE_SYNCHRONOUS: 'normal', ...env }, 'chat,tasks:read,tasks:write,tasks:delete');
  try {
    await fill(docket, records);
    docket.docket(['user', 'add', 'root', '--password-stdin', '--admin'], 'a password for the bench\n');
    const token = docket.docket(['token', 'create', '--user', 'root', '--name', 'bench', '--scope', 'audit,admin']);
    const headers = { authorization: `Bearer ${token}` };
    const list = '/api/v1/audit/list';
    const first = await timed(docket, headers, list, PAGES);
    // Each filter at its first page, and one that goes deep.
    const filtered = [];
    const slowest = {};
    const filters = ['tool=add_task', 'tool=delete_task', 'outcome=AMBIGUITY', 'outcome=ERROR', 'risk=high', 'actor=mcp', 'user=person7', 'user=person7&tool=delete_task', 'text=thing', `text=${RARE}`, `user=person7&text=${RARE}`, `text=${ABSENT}`, `tool=add_task&text=${ABSENT}`];
    for (const filter of filters) {
      const { took } = await timed(docket, headers, `${list}?${filter}`, PAGES);
      filtered.push(...took);
      slowest[filter] = quantile(took, 0.95);
    }
    let cursor = '';
    for (let page = 0; page < DEEP; page += 1) {
      const { took, text } = await timed(docket, headers, `${list}?tool=add_task${cursor}`, 1);
      filtered.push(...took);
      cursor = `&cursor=${encodeURIComponent(JSON.parse(text).next)}`;
    }
    const year = new Date(Date.now() - 360 * 86_400_000).toISOString().slice(0, 10);
    const charts = await timed(docket, headers, `/api/v1/audit/overview?since=${year}`, PAGES);
    const file = await exported(docket, headers, 'jsonl');
    const table = await exported(docket, headers, 'csv');
    const whole = await verify(docket);
    return {
      records: whole.records,
      verified: whole.rate,
      first: quantile(first.took, 0.95),
      filtered: quantile(filtered, 0.95),
      charts: quantile(charts.took, 0.95),
      exported: file.rate,
      rows: file.rows,
      grown: Math.max(file.grown, table.grown),
      table: table.rate,
      slowest,
    };
  } finally {
    await docket.stop();
  }
}

if (process.argv[1] === import.meta.filename) {
  const [binary, records] = process.argv.slice(2);
  console.log(await audit(binary, {}, records && Number(records)));
}
