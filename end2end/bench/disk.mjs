// What the disk does by itself: the yardstick beside every figure that waits for it.
import { closeSync, existsSync, fdatasyncSync, openSync, readFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';

/** Milliseconds of `count` durable commits of the disk: an append like SQLite's to its log, and the wait for the disk. */
export function diskCommits(folder, count) {
  const file = openSync(join(folder, 'disk'), 'a');
  const page = Buffer.alloc(2 * (4096 + 24), 7);
  const times = [];
  for (let i = 0; i < count; i += 1) {
    const begun = performance.now();
    writeSync(file, page);
    fdatasyncSync(file);
    times.push(performance.now() - begun);
  }
  closeSync(file);
  return times;
}

/** Commits in SQLite's write-ahead log: frames that carry the database's new size, of the log's current generation. */
export function commitsInLog(path) {
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
