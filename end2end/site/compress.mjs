// compress.mjs FOLDER: minifies its JavaScript and its wasm, and writes a .br and a .gz beside every file that gets smaller by it; removes stale ones.
import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import { minify } from 'terser';

const OPTIMIZER = fileURLToPath(new URL('node_modules/binaryen/bin/wasm-opt', import.meta.url));
/** Passes of wasm-opt that make what is sent shorter, each tried alone: those that only make the raw file shorter are left out. */
const PASSES = ['duplicate-function-elimination', 'dce', 'vacuum', 'remove-unused-module-elements', 'remove-unused-names', 'remove-unused-brs',
  'optimize-instructions', 'code-folding', 'dae-optimizing'];
/** What rustc uses of WebAssembly beyond its first version. */
const FEATURES = ['bulk-memory', 'bulk-memory-opt', 'call-indirect-overlong', 'multivalue', 'mutable-globals', 'nontrapping-float-to-int', 'reference-types', 'sign-ext'];
const WORTH_IT = /\.(js|wasm|css|svg|html|txt|json|webmanifest|ico)$/;

function* files(folder) {
  for (const name of readdirSync(folder)) {
    const path = join(folder, name);
    if (statSync(path).isDirectory()) yield* files(path);
    else if (!name.startsWith('.')) yield path;
  }
}

for (const path of [...files(process.argv[2])]) {
  if (/\.(br|gz)$/.test(path)) {
    rmSync(path);
  }
}
for (const path of [...files(process.argv[2])].filter((path) => WORTH_IT.test(path))) {
  if (path.endsWith('.js')) {
    const small = await minify(readFileSync(path, 'utf8'), { module: true, compress: { passes: 2 } });
    writeFileSync(path, small.code);
  }
  if (path.endsWith('.wasm')) {
    const options = [...FEATURES.map((feature) => `--enable-${feature}`), ...PASSES.map((pass) => `--${pass}`)];
    execFileSync(process.execPath, [OPTIMIZER, ...options, path, '-o', path]);
  }
  const raw = readFileSync(path);
  const quality = { [constants.BROTLI_PARAM_QUALITY]: 11, [constants.BROTLI_PARAM_SIZE_HINT]: raw.length };
  // WebAssembly repeats itself at even distances.
  if (path.endsWith('.wasm')) Object.assign(quality, { [constants.BROTLI_PARAM_NPOSTFIX]: 1, [constants.BROTLI_PARAM_LGBLOCK]: 17 });
  for (const [end, small] of [['.br', brotliCompressSync(raw, { params: quality })], ['.gz', gzipSync(raw, { level: 9 })]]) {
    if (small.length < raw.length) writeFileSync(path + end, small);
  }
}
