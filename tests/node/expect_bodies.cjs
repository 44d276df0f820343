// Bodies for the helper's test, and how many of each: every runner gets the same.
'use strict';

const COUNT = Number(process.env.COUNT || 3);
const FEW = Math.ceil(COUNT / 4);
const kept = [];
const map = new Map();
let latest = [];

function numbered(name, count, body, options) {
  return Array.from({ length: count }, (_, i) => [`${name} ${i}`, body, options]);
}

function fillMap(into) {
  for (let i = 0; i < 40; i++) into.set(into.size, { name: `entry ${into.size}`, list: [1, 2, 3, i] });
}

const limits = { maxGrowth: '1KB/step', steps: 50 };

exports.bodies = [
  ...numbered('leaky buffers', COUNT, () => { kept.push(Buffer.alloc(20000)); }, limits),
  ...numbered('clean buffers', COUNT, () => {
    latest = [Buffer.alloc(20000), new Float64Array(600)];
  }, limits),
  ...numbered('leaky objects', FEW, async () => { fillMap(map); }, limits),
  ...numbered('clean objects', COUNT, async () => {
    const own = new Map();
    fillMap(own);
    await own;
  }, limits),
  ['within its limit', () => { kept.push(Buffer.alloc(8000)); }, { maxGrowth: '64KB/step' }],
  ['throws', () => { throw new Error('the body is wrong'); }, limits],
  ['misspelt', () => {}, { maxGrouth: '1KB/step' }],
];
