// check.mjs BINARY SITE: what a build weighs, against limits.json, and dependencies that nothing names.
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';

const [binary, site] = process.argv.slice(2);
const read = (path) => readFileSync(path, 'utf8');
const bytes = (...names) => names.reduce((sum, name) => sum + statSync(join(site, 'pkg', name)).size, 0);
const files = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard', '*.rs', '*.js', '*.mjs', '*.py', '*.sh'], { encoding: 'utf8' }).trim().split('\n').filter(existsSync);
const isTest = (path) => /^end2end\/|(^|\/)tests?(\/|\.rs$)/.test(path);
/** Lines of a file that are there for tests. */
const testLines = (path) => {
  const lines = read(path).split('\n');
  if (isTest(path)) return lines.length;
  const begun = lines.findIndex((line, at) => line === '#[cfg(test)]' && /^mod tests? \{/.test(lines[at + 1] ?? ''));
  return begun < 0 ? 0 : lines.length - begun;
};

const found = {
  'crates in Cargo.lock': read('Cargo.lock').match(/^name = /gm).length,
  'release binary, MB': statSync(binary).size / 1e6,
  'wasm + JavaScript, brotli, KB': bytes('docket.wasm.br', 'docket.js.br') / 1024,
  'stylesheet, brotli, KB': bytes('docket.css.br') / 1024,
  'lines of tests and end2end': files.reduce((sum, path) => sum + testLines(path), 0),
};
const faults = [];
for (const [what, limit] of Object.entries(JSON.parse(read('end2end/sizes/limits.json')))) {
  const value = Math.round(found[what] * 10) / 10;
  console.log(`${what}: ${value} of ${limit}`);
  if (!(value <= limit)) faults.push(`${what}: ${value} is more than the limit of ${limit} in end2end/sizes/limits.json`);
}

const sources = files.filter((path) => path.endsWith('.rs'));
const kernel = new Set([...read('src/kernel.rs').matchAll(/^pub mod (\w+);/gm)].map(([, name]) => name));
const isKernel = (path) => path === 'kernel/build.rs' || (path.startsWith('src/') && kernel.has(path.split('/')[1].replace(/\.rs$/, '')));
for (const [manifest, own] of [['kernel/Cargo.toml', sources.filter(isKernel)], ['Cargo.toml', sources.filter((path) => !isKernel(path))]]) {
  const source = own.map(read).join('\n');
  const [, dependencies] = /^\[dependencies\]\n([^]*?)^\[/m.exec(read(manifest));
  for (const [, name] of dependencies.matchAll(/^([a-z0-9_-]+) = /gm)) {
    if (!new RegExp(`\\b${name.replaceAll('-', '_')}\\b`).test(source)) faults.push(`${manifest}: nothing uses the dependency ${name}`);
  }
}
if (faults.length) {
  console.error(faults.map((fault) => `sizes: ${fault}`).join('\n'));
  process.exit(1);
}
