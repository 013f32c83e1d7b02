// bench.mjs BINARY SITE EXAMPLES: the figures of docs/benchmarks.md, measured on a release binary over loopback: on SQLite, and on the
// PostgreSQL that DOCKET_TEST_POSTGRES_URL names. EXAMPLES is the folder of the examples.
// Each is the median of 5 runs, every one with a fresh server and database; the spread (lowest–highest) stands beside it. The million
// records are made once, which takes minutes.
import { execFileSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { audit } from './audit.mjs';
import { costs, table } from './costs.mjs';
import { latency } from './latency.mjs';
import { lists } from './lists.mjs';
import { mcp } from './mcp.mjs';
import { model } from './model.mjs';
import { median } from './server.mjs';
import { throughput } from './throughput.mjs';
import { webhook } from './webhook.mjs';

const [binary, site, examples] = process.argv.slice(2);
const RUNS = 5;

/** `RUNS` results of `measure`. */
async function repeated(what, measure) {
  const runs = [];
  for (let i = 0; i < RUNS; i += 1) {
    runs.push(await measure());
    console.error(`bench: ${what}, run ${i + 1} of ${RUNS}`);
  }
  return runs;
}

const one = await repeated('one user', () => latency(binary));
const full = await repeated('64 users, synchronous=FULL', () => throughput(binary, { DOCKET_SQLITE_SYNCHRONOUS: 'full' }));
const normal = await repeated('64 users, synchronous=NORMAL', () => throughput(binary, { DOCKET_SQLITE_SYNCHRONOUS: 'normal' }));

const agentsFull = await repeated('64 agents, synchronous=FULL', () => mcp(binary, { DOCKET_SQLITE_SYNCHRONOUS: 'full' }));
const agentsNormal = await repeated('64 agents, synchronous=NORMAL', () => mcp(binary, { DOCKET_SQLITE_SYNCHRONOUS: 'normal' }));

const shared = await repeated('shared commits', () => example('commits'));
const reading = await repeated('reading', () => example('reading'));
const admitting = await repeated('admitting', () => example('admitting'));
const recalling = await repeated('recalling', () => example('recalling'));
const recallingPostgres = await repeated('recalling, PostgreSQL', () => example('recalling', freshPostgres()));
const reminding = await repeated('reminding', () => example('reminding'));
if (reminding.some((run) => run.sent_twice > 0)) throw new Error('a reminder was sent twice');
const record = await repeated('the record', () => example('record'));
const million = [await audit(binary)];
console.error('bench: a million records');
const long = await repeated('10,000 tasks', () => lists(binary));
const longPostgres = await repeated('10,000 tasks, PostgreSQL', () => lists(binary, { DOCKET_DATABASE_URL: freshPostgres() }));
const postgres = await repeated('64 users, PostgreSQL', () => throughput(binary, { DOCKET_DATABASE_URL: freshPostgres() }));

const asked = await repeated('a model', () => model(binary, examples));
const told = await repeated('the webhook', () => webhook(binary));

/** What an example prints. */
function example(name, ...args) {
  return JSON.parse(execFileSync(join(examples, name), args).toString());
}

/** An empty database on the PostgreSQL at hand. */
function freshPostgres() {
  const server = process.env.DOCKET_TEST_POSTGRES_URL;
  const name = `bench_${randomUUID().replaceAll('-', '')}`;
  execFileSync('psql', ['-q', server, '-c', `CREATE DATABASE ${name}`]);
  return server.replace(/[^/]*$/, name);
}

const kilobytes = (...names) => names.reduce((sum, name) => sum + statSync(join(site, 'pkg', `${name}.br`)).size, 0) / 1024;
const row = (what, runs, key, unit, digits, limit) => {
  const values = runs.map((run) => run[key]).sort((a, b) => a - b);
  const show = (value) => value.toFixed(digits);
  return [what, `${show(median(values))} ${unit}`, `${show(values[0])}–${show(values.at(-1))}`, limit];
};
const commit = median(one.map((run) => run.disk));
const within = (ms, factor) => `≤ ${Math.max(ms, commit * factor).toFixed(1)} ms`;
const durable = median(full.map((run) => run.disk));
const agentsDurable = median(agentsFull.map((run) => run.disk));
const rows = [
  ['figure', 'median of 5', 'spread', 'limit'],
  ['---', '---', '---', '---'],
  row('start to first 200', one, 'start', 'ms', 0, '≤ 300 ms'),
  row('resident memory, idle', one, 'rss', 'MB', 1, '≤ 40 MB'),
  row('rules turn over HTTP, one user, p50', one, 'p50', 'ms', 2, within(8, 8)),
  row('rules turn over HTTP, one user, p95', one, 'p95', 'ms', 2, within(15, 15)),
  row("the disk's own durable commit, p50", one, 'disk', 'ms', 3, '–'),
  row('commits of a one-tool turn', one, 'commits', '', 0, '≤ 4'),
  row('the rules reading 500 characters, p50', reading, 'p50', 'ms', 2, '–'),
  row('the rules reading 500 characters, p99', reading, 'p99', 'ms', 2, '≤ 2 ms'),
  row('a search among 2,000 memories, p95', recalling, 'p95', 'ms', 2, '≤ 20 ms'),
  row('the same on PostgreSQL', recallingPostgres, 'p95', 'ms', 2, '≤ 20 ms'),
  row('10,000 reminders of 100 people due at once, sent', reminding, 'sent_s', 's', 1, '≤ 60 s'),
  row('a checkpoint of 1,000 users who all did something', record, 'checkpoint_ms', 'ms', 1, '–'),
  row('records verified', record, 'records_a_second', '/s', 0, '–'),
  row("what a turn's eight records add to it, p95", record, 'chain_ms', 'ms', 2, '≤ 1 ms'),
  row('found in 200,000 records to which nothing was done', record, 'found', '', 0, '≤ 0'),
  row('a list as it was, folded from 10,000 changes: the slowest of ten', record, 'fold_ms', 'ms', 0, '≤ 1000 ms'),
  row('a million records, verified by the command', million, 'verified', '/s', 0, '≥ 30,000/s'),
  row('their first page, p95', million, 'first', 'ms', 1, '≤ 50 ms'),
  row('a page of thirteen filters, rare and absent words among them, and fifty pages deep, p95', million, 'filtered', 'ms', 1, '≤ 200 ms'),
  row('their charts of 360 days, p95', million, 'charts', 'ms', 0, '≤ 300 ms'),
  row('their turns as JSON Lines', million, 'exported', 'rows/s', 0, '≥ 20,000/s'),
  row('their turns as CSV', million, 'table', 'rows/s', 0, '≥ 20,000/s'),
  row('by which the server grew, at most', million, 'grown', 'MB', 1, '≤ 16 MB'),
  row('rules turn with 10,000 tasks, against one with 100: the worst of five kinds', long, 'worst', 'times', 1, '≤ 2'),
  row('the same on PostgreSQL', longPostgres, 'worst', 'times', 1, '≤ 2'),
  row('one-tool turns, 64 users, FULL', full, 'rate', '/s', 0, `≥ ${Math.min(400, durable * 0.2).toFixed(0)}/s`),
  row("the disk's own durable commits in those runs", full, 'disk', '/s', 0, '–'),
  row('those turns, against those commits', full.map((run) => ({ share: (100 * run.rate) / run.disk })), 'share', '%', 0, '–'),
  row('one-tool turns, 64 users, NORMAL', normal, 'rate', '/s', 0, '≥ 800/s'),
  row('processor time for 1,000 of them', normal, 'cpu', 's', 2, '≤ 1.0 s'),
  row('list_tasks and add_task in turn by 64 outside agents, FULL', agentsFull, 'rate', 'calls/s', 0, `≥ ${Math.min(1000, agentsDurable * 0.2).toFixed(0)}/s`),
  row('the same with NORMAL', agentsNormal, 'rate', 'calls/s', 0, '≥ 2000/s'),
  row('processor time for 1,000 of those calls, FULL', agentsFull, 'cpu', 's', 2, '≤ 0.5 s'),
  row('the same with NORMAL', agentsNormal, 'cpu', 's', 2, '≤ 0.5 s'),
  row("looking an agent's token up, p50", admitting, 'p50', 'µs', 0, '≤ 200 µs'),
  row('durable transactions, one after another', shared, 'alone', '/s', 0, '–'),
  row('durable transactions, 64 at once', shared, 'together', '/s', 0, '–'),
  row('which is', shared, 'ratio', 'times as many', 1, '≥ 2'),
  row('one-tool turns, 64 users, PostgreSQL', postgres, 'rate', '/s', 0, '≥ 200/s'),
  row("with a model, one user: added to the provider's own time, p95", asked, 'added', 'ms', 1, within(20, 20)),
  row('what 2,000 memories add to such a turn, p95', asked, 'remembering', 'ms', 1, '≤ 25 ms'),
  row('one-tool turn with a model of 1 s a call, p95', asked, 'whole', 'ms', 0, '≤ 3000 ms'),
  row('first event after sending, p95', asked, 'first', 'ms', 1, '≤ 200 ms'),
  row('64 users, 200 ms a call: of what the delays alone would allow', asked, 'few', '%', 0, '≥ 90 %'),
  row('256 users, the same', asked, 'many', '%', 0, '≥ 80 %'),
  row('resident memory under that load', asked, 'resident', 'MB', 0, '≤ 80 MB'),
  row('an update from Telegram, acknowledged while the model hangs, p50', told, 'p50', 'ms', 2, '–'),
  row('the same, p99', told, 'p99', 'ms', 2, '≤ 50 ms'),
  ['wasm + JavaScript, brotli', `${kilobytes('docket.wasm', 'docket.js').toFixed(1)} KB`, '–', '≤ 350 KB'],
  ['CSS, brotli', `${kilobytes('docket.css').toFixed(1)} KB`, '–', '≤ 20 KB'],
];
console.log(rows.map((cells) => `| ${cells.join(' | ')} |`).join('\n'));
console.log(`\n${table(await costs(binary))}`);
