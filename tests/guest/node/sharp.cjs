// Pictures on the threads of a native library: made, turned, reduced, written and read again.
const sharp = require('sharp');
const { createHash } = require('crypto');
(async () => {
  const wide = 300,
    high = 200;
  const raw = Buffer.alloc(wide * high * 3);
  for (let i = 0; i < raw.length; i++) raw[i] = (i * 7919) >> 5;
  const from = { raw: { width: wide, height: high, channels: 3 } };
  const made = await Promise.all(
    Array.from({ length: 24 }, (_, i) =>
      sharp(raw, from)
        .rotate(90 * (i % 4))
        .resize(40 + i * 3)
        .blur(1 + i / 10)
        .png()
        .toBuffer(),
    ),
  );
  for (const picture of made) {
    const { data, info } = await sharp(picture).raw().toBuffer({ resolveWithObject: true });
    console.log(info.width, info.height, createHash('md5').update(data).digest('hex'));
  }
  const stats = await sharp(made[0]).stats();
  console.log(stats.channels.map((c) => c.mean.toFixed(3)).join(' '));
  await sharp(Buffer.from('no picture'))
    .toBuffer()
    .catch((error) => console.log(error.message));
})();
