// Builds a library by its native bundler and prints what came out.
import { build } from 'vite';
import fs from 'fs';
import os from 'os';
import path from 'path';
const place = fs.mkdtempSync(path.join(fs.realpathSync(os.tmpdir()), 'vite-'));
fs.writeFileSync(
  `${place}/main.ts`,
  "import { add } from './add';\nimport data from './data.json';\n" +
    "export const sum: number = add(data.a, 2);\n",
);
fs.writeFileSync(
  `${place}/add.ts`,
  'export const add = (a: number, b: number): number => a + b;\nexport const unused = 1;\n',
);
fs.writeFileSync(`${place}/data.json`, '{"a": 40}');
const built = await build({
  root: place,
  logLevel: 'silent',
  configFile: false,
  build: {
    lib: { entry: `${place}/main.ts`, formats: ['es', 'cjs'], fileName: 'lib' },
    minify: 'esbuild',
    write: true,
  },
});
for (const { output } of [built].flat()) for (const part of output) console.log(part.fileName, part.code);
console.log((await import(`${place}/dist/lib.js`)).sum);
fs.rmSync(place, { recursive: true });
