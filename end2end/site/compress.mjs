// compress.mjs FOLDER: minifies its JavaScript, and writes a .br and a .gz beside every file that gets smaller by it; removes stale ones.
import { readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import { minify } from 'terser';

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
  const raw = readFileSync(path);
  const quality = { [constants.BROTLI_PARAM_QUALITY]: 11, [constants.BROTLI_PARAM_SIZE_HINT]: raw.length };
  for (const [end, small] of [['.br', brotliCompressSync(raw, { params: quality })], ['.gz', gzipSync(raw, { level: 9 })]]) {
    if (small.length < raw.length) writeFileSync(path + end, small);
  }
}
