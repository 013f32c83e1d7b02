// bench.mjs BINARY SITE: the README's figures, measured on a release binary over loopback, on SQLite with synchronous=FULL.
// Each is the median of 5 runs, every one with a fresh server and database; the spread (lowest–highest) stands beside it.
import { execFileSync, spawn } from 'node:child_process';
import { closeSync, existsSync, fdatasyncSync, mkdtempSync, openSync, readFileSync, rmSync, statSync, writeSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const [binary, site] = process.argv.slice(2);
const RUNS = 5;
const WARM_UP = 20;
const TURNS = 200;

const sleep = (ms) => new Promise((done) => setTimeout(done, ms));
const sorted = (numbers) => [...numbers].sort((a, b) => a - b);
const quantile = (numbers, q) => sorted(numbers)[Math.min(numbers.length - 1, Math.floor(numbers.length * q))];
const median = (numbers) => quantile(numbers, 0.5);

async function freePort() {
  const probe = createServer();
  await new Promise((ready) => probe.listen(0, '127.0.0.1', ready));
  const { port } = probe.address();
  await new Promise((closed) => probe.close(closed));
  return port;
}

/** Milliseconds of the disk's own durable commit: an append like SQLite's to its log, and the wait for the disk. */
function diskCommits(folder) {
  const file = openSync(join(folder, 'disk'), 'a');
  const page = Buffer.alloc(2 * (4096 + 24), 7);
  const times = [];
  for (let i = 0; i < TURNS; i += 1) {
    const begun = performance.now();
    writeSync(file, page);
    fdatasyncSync(file);
    times.push(performance.now() - begun);
  }
  closeSync(file);
  return times;
}

/** Commits in SQLite's write-ahead log: frames that carry the database's new size, of the log's current generation. */
function commitsInLog(path) {
  if (!existsSync(path)) return { commits: 0, generation: '' };
  const log = readFileSync(path);
  if (log.length < 32) return { commits: 0, generation: '' };
  const pageSize = log.readUInt32BE(8);
  const generation = log.subarray(16, 24).toString('hex');
  let commits = 0;
  for (let at = 32; at + 24 + pageSize <= log.length; at += 24 + pageSize) {
    if (log.subarray(at + 8, at + 16).toString('hex') !== generation) break;
    if (log.readUInt32BE(at + 4) > 0) commits += 1;
  }
  return { commits, generation };
}

async function run() {
  const folder = mkdtempSync(join(tmpdir(), 'docket-bench-'));
  const database = join(folder, 'docket.db');
  const port = await freePort();
  const base = `http://127.0.0.1:${port}`;
  const env = {
    PATH: process.env.PATH,
    HOME: folder,
    DOCKET_ADDR: `127.0.0.1:${port}`,
    DOCKET_DATABASE_URL: `sqlite://${database}`,
    DOCKET_RATE_LIMIT_PER_MINUTE: '0',
    DOCKET_LOG: 'error',
  };
  const docket = (args, input = '') => execFileSync(binary, args, { env, input, stdio: ['pipe', 'pipe', 'ignore'] }).toString().trim();
  docket(['user', 'add', 'ada', '--password-stdin'], 'a password for the bench\n');
  const token = docket(['token', 'create', '--user', 'ada', '--name', 'bench', '--scope', 'chat,tasks:read']);

  const begun = performance.now();
  const server = spawn(binary, ['serve'], { env, stdio: ['ignore', 'ignore', 'inherit'] });
  try {
    let start;
    while (start === undefined) {
      const answer = await fetch(`${base}/sign-in`).catch(() => undefined);
      if (answer?.status === 200) start = performance.now() - begun;
      else if (performance.now() - begun > 30_000) throw new Error('the server does not answer');
      else await sleep(2);
    }
    await sleep(1000);
    const status = readFileSync(`/proc/${server.pid}/status`, 'utf8');
    const rss = Number(/VmRSS:\s+(\d+)/.exec(status)[1]) / 1024;

    const turn = async (message) => {
      const sent = performance.now();
      const answer = await fetch(`${base}/api/v1/chat`, {
        method: 'POST',
        headers: { authorization: `Bearer ${token}` },
        body: new URLSearchParams({ message }),
      });
      const turn = await answer.json();
      if (turn.decision?.outcome !== 'SUCCESS:TASK_COMPLETED') throw new Error(JSON.stringify(turn));
      return performance.now() - sent;
    };
    for (let i = 0; i < WARM_UP; i += 1) await turn(`add warm up ${i}`);
    const times = [];
    const commits = [];
    for (let i = 0; i < TURNS; i += 1) {
      const before = commitsInLog(`${database}-wal`);
      times.push(await turn(`add buy thing ${i}`));
      const after = commitsInLog(`${database}-wal`);
      if (before.generation === after.generation) commits.push(after.commits - before.commits);
    }
    const disk = diskCommits(folder);
    return { start, rss, p50: median(times), p95: quantile(times, 0.95), disk: median(disk), commits: median(commits) };
  } finally {
    const ended = new Promise((done) => server.once('exit', done));
    server.kill('SIGTERM');
    await ended;
    rmSync(folder, { recursive: true, force: true });
  }
}

const runs = [];
for (let i = 0; i < RUNS; i += 1) {
  runs.push(await run());
  console.error(`bench: run ${i + 1} of ${RUNS}`);
}
const kilobytes = (...names) => names.reduce((sum, name) => sum + statSync(join(site, 'pkg', `${name}.br`)).size, 0) / 1024;
const row = (what, key, unit, digits, limit) => {
  const values = sorted(runs.map((run) => run[key]));
  const show = (value) => value.toFixed(digits);
  return [what, `${show(median(values))} ${unit}`, `${show(values[0])}–${show(values.at(-1))}`, limit];
};
const disk = median(runs.map((run) => run.disk));
const within = (ms, factor) => `≤ ${Math.max(ms, disk * factor).toFixed(1)} ms`;
const rows = [
  ['figure', 'median of 5', 'spread', 'limit'],
  ['---', '---', '---', '---'],
  row('start to first 200', 'start', 'ms', 0, '≤ 300 ms'),
  row('resident memory, idle', 'rss', 'MB', 1, '≤ 40 MB'),
  row('rules turn over HTTP, p50', 'p50', 'ms', 2, within(8, 8)),
  row('rules turn over HTTP, p95', 'p95', 'ms', 2, within(20, 20)),
  row("the disk's own durable commit, p50", 'disk', 'ms', 3, '–'),
  row('commits of a one-tool turn', 'commits', '', 0, '≤ 4'),
  ['wasm + JavaScript, brotli', `${kilobytes('docket.wasm', 'docket.js').toFixed(1)} KB`, '–', '≤ 350 KB'],
  ['CSS, brotli', `${kilobytes('docket.css').toFixed(1)} KB`, '–', '≤ 20 KB'],
];
console.log(rows.map((cells) => `| ${cells.join(' | ')} |`).join('\n'));
