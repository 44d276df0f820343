// browse.mjs - opens pages in Chromium, uses them as a person would, and prints what was seen as JSON.
//
//   node browse.mjs MODULES CHROMIUM '[{"page": FILE, "scheme": "light", "bare": false}, …]'
//
// bare: the browser is told to forget its own decompression.
import { createRequire } from 'node:module';
import { readFileSync } from 'node:fs';

const [modules, executablePath, jobs] = process.argv.slice(2);
const require = createRequire(modules + '/');
const { chromium } = require('playwright-core');
const axe = readFileSync(require.resolve('axe-core/axe.min.js'), 'utf8');

function listen(page, facts) {
  page.on('console', (message) => { if (message.type() !== 'log') facts.console.push(message.text()); });
  page.on('pageerror', (error) => facts.console.push('error: ' + error.message));
  page.on('dialog', (dialog) => { facts.console.push('dialog: ' + dialog.message()); dialog.dismiss(); });
  page.on('request', (request) => { if (!request.url().startsWith('file:') && !request.url().startsWith('data:')) facts.requests.push(request.url()); });
}

async function look(page) {
  for (const section of await page.$$('main > section')) {
    await section.scrollIntoViewIfNeeded();
    await page.waitForTimeout(60);
  }
  await page.waitForSelector('#flame g.frame, #flame .content p.faint', { timeout: 5000 });
  return page.evaluate(() => {
    const sections = {};
    for (const section of document.querySelectorAll('main > section')) {
      const drawn = [...section.querySelectorAll('canvas')].map((canvas) =>
        canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height).data.filter((_, i) => i % 4 === 3).filter(Boolean).length);
      sections[section.id] = { text: section.textContent, height: section.offsetHeight, drawn,
        values: [...section.querySelectorAll('data')].map((one) => Number(one.value)),
        rects: section.querySelectorAll('svg rect').length, rows: section.querySelectorAll('tbody tr').length };
    }
    const named = (name) => document.getElementsByTagName(name).length;
    return { sections, title: document.title, answer: document.querySelector('h1').textContent,
      background: getComputedStyle(document.body).backgroundColor, owned: window.owned ?? null,
      elements: Object.fromEntries(['img', 'iframe', 'object', 'embed', 'script', 'form', 'base', 'b', 'marquee'].map((name) => [name, named(name)])),
      pieces: [...document.querySelectorAll('#account .piece')].map((piece) => piece.getBoundingClientRect().width),
      bar: document.querySelector('#account .stack')?.getBoundingClientRect().width ?? 0,
      wide: document.documentElement.scrollWidth > innerWidth };
  });
}

// Every value of the flame graph, its search, and the keys of both pictures.
async function use(page) {
  const facts = { flame: {} };
  for (const value of ['live_bytes', 'growth_bytes', 'peak_bytes', 'allocated_bytes']) {
    await page.check(`#flame input[value=${value}]`, { force: true });
    facts.flame[value] = await page.evaluate(() => document.querySelectorAll('#flame g.frame').length);
  }
  await page.fill('#flame input[type=search]', 'e');
  facts.found = await page.textContent('#flame .details');
  await page.fill('#flame input[type=search]', '');
  await page.focus('#flame .flame');
  await page.keyboard.press('ArrowDown');
  facts.flameKey = await page.textContent('#flame .details');
  await page.focus('#timeline .chart').catch(() => {});
  const ticks = () => page.evaluate(() => document.querySelector('#timeline canvas')?.toDataURL().length);
  const before = await ticks();
  await page.keyboard.press('+');
  await page.waitForTimeout(80);
  facts.zoomed = before !== await ticks();
  const link = await page.$('#findings a[href="#source"]');
  if (link) {
    await link.click();
    facts.shown = await page.evaluate(() => document.querySelector('#source tr.shown td.text')?.textContent ?? null);
  }
  return facts;
}

// Another process: what the page says of it, and its curves.
async function choose(page) {
  await page.click('#processes tbody tr:last-child button');
  await page.waitForTimeout(200);
  return page.evaluate(() => ({ about: document.querySelector('.about').textContent, pid: document.querySelector('tr.chosen').dataset.pid,
    chart: document.querySelector('#timeline .chart')?.dataset.pid ?? null, canvases: document.querySelectorAll('#timeline canvas').length }));
}

async function visit(browser, job) {
  const facts = { console: [], requests: [] };
  const page = await browser.newPage({ viewport: { width: 1240, height: 860 }, colorScheme: job.scheme ?? 'light' });
  listen(page, facts);
  if (job.bare) await page.addInitScript(() => { delete window.DecompressionStream; });
  await page.goto('file://' + job.page);
  await page.waitForSelector('main:not([aria-busy])', { timeout: 20000 });
  facts.openMs = await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => done(performance.now()))));
  Object.assign(facts, await look(page));
  if (job.use) Object.assign(facts, await use(page));
  if (job.choose) facts.chosen = await choose(page);
  if (job.axe) {
    await page.evaluate(axe + '; window.axe = axe;');
    const result = await page.evaluate(() => window.axe.run(document, { resultTypes: ['violations'] }));
    facts.problems = result.violations.filter((one) => ['serious', 'critical'].includes(one.impact))
      .map((one) => `${one.id}: ${one.help}: ${one.nodes.slice(0, 3).map((node) => node.html.slice(0, 200)).join(' | ')}`);
  }
  if (job.print) facts.printed = (await page.pdf({ format: 'A4' })).length;
  await page.close();
  return facts;
}

const browser = await chromium.launch({ executablePath, args: process.getuid() === 0 ? ['--no-sandbox'] : [] });
const seen = [];
for (const job of JSON.parse(jobs)) seen.push(await visit(browser, job));
await browser.close();
console.log(JSON.stringify(seen));
