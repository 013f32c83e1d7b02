// Many users at once: one-tool turns a second, HTTP in to reply stored, and what they cost in processor time.
import { diskCommits } from './disk.mjs';
import { median, start } from './server.mjs';
import { turn } from './turns.mjs';

const USERS = 64;
const WARM_UP_MS = 2_000;
const MEASURED_MS = 8_000;

/** One run on a fresh server: turns a second, CPU-seconds per 1,000 turns, and the disk's durable commits a second in the same run. */
export async function throughput(binary, env) {
  const users = Array.from({ length: USERS }, (_, i) => `user${i}`);
  const docket = await start(binary, users, env);
  try {
    const disk = 1000 / median(diskCommits(docket.folder, 500));
    const begun = performance.now();
    let cpu;
    let counted = 0;
    const one = async (token, user) => {
      for (let i = 0; performance.now() - begun < WARM_UP_MS + MEASURED_MS; i += 1) {
        await turn(docket.base, token, `add thing ${i} of ${user}`);
        const at = performance.now() - begun;
        if (at < WARM_UP_MS) continue;
        cpu ??= docket.cpu();
        if (at < WARM_UP_MS + MEASURED_MS) counted += 1;
      }
    };
    await Promise.all(docket.tokens.map((token, i) => one(token, users[i])));
    return { rate: (counted * 1000) / MEASURED_MS, cpu: ((docket.cpu() - cpu) * 1000) / counted, disk };
  } finally {
    await docket.stop();
  }
}

if (process.argv[1] === import.meta.filename) {
  const [binary, ...pairs] = process.argv.slice(2);
  console.log(await throughput(binary, Object.fromEntries(pairs.map((pair) => pair.split(/=(.*)/s).slice(0, 2)))));
}
