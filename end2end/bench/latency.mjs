// One user, one message after the other: what a person waits for.
import { commitsInLog, diskCommits } from './disk.mjs';
import { median, quantile, sleep, start } from './server.mjs';
import { turn } from './turns.mjs';

const WARM_UP = 20;
const TURNS = 200;

/** One run on a fresh server. */
export async function latency(binary) {
  const docket = await start(binary, ['ada']);
  try {
    await sleep(1000);
    const rss = docket.resident();
    const say = (message) => turn(docket.base, docket.tokens[0], message);
    for (let i = 0; i < WARM_UP; i += 1) await say(`add warm up ${i}`);
    const times = [];
    const commits = [];
    for (let i = 0; i < TURNS; i += 1) {
      const before = commitsInLog(`${docket.database}-wal`);
      times.push(await say(`add buy thing ${i}`));
      const after = commitsInLog(`${docket.database}-wal`);
      if (before.generation === after.generation) commits.push(after.commits - before.commits);
    }
    const disk = diskCommits(docket.folder, TURNS);
    return { start: docket.started, rss, p50: median(times), p95: quantile(times, 0.95), disk: median(disk), commits: median(commits) };
  } finally {
    await docket.stop();
  }
}
