// A server under measurement: an empty database in a folder of its own, and accounts with tokens.
import { execFileSync, spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export const sleep = (ms) => new Promise((done) => setTimeout(done, ms));
const sorted = (numbers) => [...numbers].sort((a, b) => a - b);
export const quantile = (numbers, q) => sorted(numbers)[Math.min(numbers.length - 1, Math.floor(numbers.length * q))];
export const median = (numbers) => quantile(numbers, 0.5);

async function freePort() {
  const probe = createServer();
  await new Promise((ready) => probe.listen(0, '127.0.0.1', ready));
  const { port } = probe.address();
  await new Promise((closed) => probe.close(closed));
  return port;
}

/**
 * Starts `binary` on a free port. `more` adds to the environment; a database of its own replaces the SQLite file. Each user has a token
 * for what `scopes` says; `docket` runs one of the binary's commands beside the server.
 */
export async function start(binary, users, more = {}, scopes = 'chat,tasks:read,tasks:write') {
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
    ...more,
  };
  const docket = (args, input = '') => execFileSync(binary, args, { env, input, stdio: ['pipe', 'pipe', 'ignore'] }).toString().trim();
  const tokens = users.map((user) => {
    docket(['user', 'add', user, '--password-stdin'], 'a password for the bench\n');
    return docket(['token', 'create', '--user', user, '--name', 'bench', '--scope', scopes, '--budget', '0']);
  });
  const begun = performance.now();
  const server = spawn(binary, ['serve'], { env, stdio: ['ignore', 'ignore', 'inherit'] });
  let started;
  while (started === undefined) {
    const answer = await fetch(`${base}/sign-in`).catch(() => undefined);
    if (answer?.status === 200) started = performance.now() - begun;
    else if (performance.now() - begun > 30_000) throw new Error('the server does not answer');
    else await sleep(2);
  }
  const stop = async () => {
    const ended = new Promise((done) => server.once('exit', done));
    server.kill('SIGTERM');
    await ended;
    rmSync(folder, { recursive: true, force: true });
  };
  return { folder, database, base, docket, tokens, started, stop, pid: server.pid, resident: () => resident(server.pid), cpu: () => cpu(server.pid) };
}

/** Resident memory in MB. */
function resident(pid) {
  return Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))[1]) / 1024;
}

/** Processor time so far, in seconds; the kernel counts in hundredths. */
function cpu(pid) {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1].split(' ');
  return (Number(fields[11]) + Number(fields[12])) / 100;
}
