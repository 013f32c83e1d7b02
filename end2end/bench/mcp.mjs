// Outside agents: 64 at once at /mcp, each listing its person's tasks and adding one, in turn. Calls a second, and what they cost in
// processor time.
import { diskCommits } from './disk.mjs';
import { callTool } from './http.mjs';
import { median, start } from './server.mjs';

const AGENTS = 64;
const WARM_UP_MS = 2_000;
const MEASURED_MS = 8_000;

/** One run on a fresh server: calls a second, CPU-seconds per 1,000 calls, and the disk's durable commits a second in the same run. */
export async function mcp(binary, env) {
  const agents = Array.from({ length: AGENTS }, (_, i) => `agent${i}`);
  const docket = await start(binary, agents, env);
  try {
    const disk = 1000 / median(diskCommits(docket.folder, 500));
    const begun = performance.now();
    let cpu;
    let counted = 0;
    const one = async (token) => {
      let added = 0;
      for (let i = 0; performance.now() - begun < WARM_UP_MS + MEASURED_MS; i += 1) {
        if (i % 2 === 0) {
          const { total } = await callTool(docket.base, token, i, 'list_tasks', {});
          if (total !== added) throw new Error(`${total} tasks are listed, and ${added} were added`);
        } else {
          await callTool(docket.base, token, i, 'add_task', { title: `thing ${i}` });
          added += 1;
        }
        const at = performance.now() - begun;
        if (at < WARM_UP_MS) continue;
        cpu ??= docket.cpu();
        if (at < WARM_UP_MS + MEASURED_MS) counted += 1;
      }
    };
    await Promise.all(docket.tokens.map(one));
    return { rate: (counted * 1000) / MEASURED_MS, cpu: ((docket.cpu() - cpu) * 1000) / counted, disk };
  } finally {
    await docket.stop();
  }
}

if (process.argv[1] === import.meta.filename) {
  const [binary, ...pairs] = process.argv.slice(2);
  console.log(await mcp(binary, Object.fromEntries(pairs.map((pair) => pair.split(/=(.*)/s).slice(0, 2)))));
}
