// licences.mjs TARGET: the licences of all crates in the server for the target and in the browser's half, each text once.
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readFileSync, readdirSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';

const cargo = (...args) => execFileSync('cargo', args, { encoding: 'utf8', maxBuffer: 1 << 28 });

/** Names and versions of the crates that are linked. */
const linked = new Set();
for (const [target, features] of [[process.argv[2], 'ssr'], ['wasm32-unknown-unknown', 'hydrate']]) {
  const tree = cargo('tree', '--edges', 'normal', '--prefix', 'none', '--no-dedupe', '--target', target, '--no-default-features', '--features', features, '--format', '{p}');
  for (const line of tree.split('\n')) linked.add(line.split(' ').slice(0, 2).join(' '));
}

/** Crates by the text of each of their licence files. */
const texts = new Map();
const missing = [];
const { packages } = JSON.parse(cargo('metadata', '--format-version', '1'));
for (const { name, version, license, manifest_path: manifest } of packages) {
  if (!linked.has(`${name} v${version}`)) continue;
  const crate = `${name} ${version} (${license ?? 'see its text'})`;
  const folder = dirname(manifest);
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  const paths = entries.map((entry) => relative(folder, join(entry.parentPath ?? entry.path, entry.name)));
  const files = paths.filter((path) => /^(licen[cs]es?|copying|notice|unlicense)/i.test(path)).sort();
  if (files.length === 0) missing.push(crate);
  for (const file of files) {
    const text = readFileSync(join(folder, file), 'utf8').replaceAll('\r', '').trim();
    const key = createHash('sha256').update(text.replace(/\s+/g, ' ')).digest('hex');
    const known = texts.get(key) ?? { text, crates: new Set() };
    known.crates.add(crate);
    texts.set(key, known);
  }
}

const rule = '-'.repeat(100);
const all = [...texts.values()].sort((a, b) => b.crates.size - a.crates.size || (a.text < b.text ? -1 : 1));
console.log(`Docket contains these crates. Each text stands once, below the crates that bring it.\n`);
for (const { text, crates } of all) console.log(`${rule}\n${[...crates].sort().join('\n')}\n\n${text}\n`);
if (missing.length) console.log(`${rule}\nThese crates name their licence and bring no text:\n\n${missing.sort().join('\n')}`);
