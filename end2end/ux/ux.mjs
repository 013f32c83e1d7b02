// ux.mjs BINARY [NAME…]: the goals of how Docket looks and behaves, measured on a release binary in the system's Chromium.
// Prints them as a table; NAMEs take some of the measurements. Exit status 1 where a goal is missed.
import { tell } from './common.mjs';

const MEASURES = ['axe', 'lighthouse', 'flows', 'clicks', 'load', 'tabs', 'stream', 'lists', 'access', 'shots'];

const [binary, ...names] = process.argv.slice(2);
process.env.DOCKET_BIN = binary;
const unknown = names.find((name) => !MEASURES.includes(name));
if (!binary || unknown) {
  console.error(`ux.mjs BINARY [${MEASURES.join('|')}…]${unknown ? `: ${unknown} is none of them` : ''}`);
  process.exit(2);
}

const rows = [];
for (const name of names.length > 0 ? names : MEASURES) {
  const begun = performance.now();
  try {
    const measure = (await import(`./${name}.mjs`))[name];
    rows.push(...await measure());
  } catch (error) {
    tell(error);
    rows.push({ goal: name, value: 'could not be measured', limit: '–', pass: false });
  }
  tell(`${name} took ${((performance.now() - begun) / 1000).toFixed(0)} s`);
}
console.log('| goal | measured | wanted | |\n| --- | --- | --- | --- |');
for (const { goal, value, limit, pass } of rows) console.log(`| ${goal} | ${value} | ${limit} | ${pass ? 'pass' : 'MISS'} |`);
process.exit(rows.every((it) => it.pass) ? 0 : 1);
