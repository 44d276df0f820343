// Bundles this folder's module graph, with a part of its own that is loaded later, and runs the bundle.
const webpack = require('webpack');
const fs = require('fs');
const path = require('path');
const { createHash } = require('crypto');
const place = fs.mkdtempSync(path.join(require('os').tmpdir(), 'webpack-'));
for (let i = 0; i < 40; i++)
  fs.writeFileSync(`${place}/m${i}.js`, `export const v${i} = ${i};\nexport const unused = 'u${i}';\n`);
fs.writeFileSync(
  `${place}/main.js`,
  Array.from({ length: 40 }, (_, i) => `import { v${i} } from './m${i}.js';`).join('\n') +
    `\nconsole.log([${Array.from({ length: 40 }, (_, i) => 'v' + i)}].reduce((a, b) => a + b));\n` +
    `import('./m3.js').then((m) => console.log(m.unused));`,
);
webpack(
  {
    mode: 'production',
    target: 'node',
    context: place,
    entry: './main.js',
    cache: false,
    output: { path: place + '/out', filename: '[name].js', chunkFilename: '[contenthash].js' },
  },
  (error, stats) => {
    if (error) throw error;
    const { assets, errors, modules } = stats.toJson();
    console.log(errors.length, modules.length);
    for (const { name } of assets.sort((a, b) => (a.name < b.name ? -1 : 1))) {
      console.log(
        name,
        createHash('md5')
          .update(fs.readFileSync(`${place}/out/${name}`))
          .digest('hex'),
      );
    }
    require(`${place}/out/main.js`);
    setTimeout(() => fs.rmSync(place, { recursive: true }), 100);
  },
);
