// flame.js - stacks as a flame graph: live bytes, growth, bytes at the peak, or allocated bytes.
import { chooser, clean, h, say, svg, whenResized } from './dom.js';
import { baseName, rateUnit, sizeText } from './format.js';
import { stacksOf, treeOf } from './stacks.js';

const CELL = 20, PADDING = 4;
const NARROW = 16; // pixels; a narrower box is too small for a word and is only drawn after zooming
const GROWING = ['retained', 'native', 'unbounded-cache', 'gc-lag'];
const NAMES = { growth_bytes: 'Growth', live_bytes: 'Live', peak_bytes: 'Peak', allocated_bytes: 'Allocated' };
const LANGUAGES = [['python', 'Python'], ['javascript', 'JavaScript'], ['native', 'native, your code'], ['runtime', 'native, libraries']];

function languageOf(node) {
  if (!node.frame) return 'none';
  if (!node.frame.user && node.frame.language === 'native') return 'runtime';
  return node.frame.language;
}

// Colour by language. A pattern does the same for people who cannot distinguish the colours.
const PATTERNS = {
  python: () => svg('path', { d: 'M-2 2 L2 -2 M0 10 L10 0 M8 12 L12 8', class: 'stripe' }),
  javascript: () => svg('circle', { cx: 5, cy: 5, r: 1.2, class: 'dot' }),
  native: () => null,
  runtime: () => svg('path', { d: 'M0 5 L10 5', class: 'stripe' }),
  none: () => null,
};

function patterns() {
  const all = Object.entries(PATTERNS).flatMap(([language, mark]) => [0, 1, 2].map((shade) =>
    svg('pattern', { id: `flame-${language}-${shade}`, width: 10, height: 10, patternUnits: 'userSpaceOnUse' },
      svg('rect', { width: 10, height: 10, style: `fill:var(--flame-${language}-${shade})` }), mark())));
  return svg('svg', { width: 0, height: 0, class: 'hidden', 'aria-hidden': 'true' }, svg('defs', {}, all));
}

function paint(d) {
  if (d.highlight) return 'var(--flame-found)';
  return `url(#flame-${languageOf(d.data)}-${(d.data.frame ? d.data.frame.number : d.depth) % 3})`;
}

// "train.py:16 load_batch"; for code at the top level of a file only the file; without a file, the module.
function frameText(node) {
  const frame = node.frame;
  if (!frame || !frame.file) return node.name + (frame && frame.module && !node.name.includes(frame.module) ? ` (${frame.module})` : '');
  const spot = baseName(frame.file) + (frame.line ? ':' + frame.line : '');
  return node.name === '<module>' ? spot : `${spot} ${node.name}`;
}

class Flame {
  constructor(data, process, frames, box, details, signal) {
    Object.assign(this, { data, process, frames, box, details, stacks: stacksOf(data, process) });
    this.term = '';
    whenResized(box, signal, () => { if (Math.abs(box.clientWidth - this.width) > 2) this.draw(this.value); });
  }

  label(d) {
    const share = this.root.value > 0 ? 100 * d.data.value / this.root.value : 0;
    return clean(`${frameText(d.data)}: ${sizeText(d.data.value)}, ${share.toFixed(1)}%`);
  }

  draw(value) {
    this.value = value;
    this.width = this.box.clientWidth;
    const room = this.width - 2 * PADDING;
    const number = this.data.values.findIndex((one) => one.name === value);
    this.root = treeOf(this.stacks, this.frames, number, baseName(this.process.program) || 'all');
    this.box.replaceChildren();
    if (this.root.value === 0) {
      this.box.append(h('p', { class: 'faint' }, 'There are no samples.'));
      return;
    }
    this.chart = flamegraph.default().width(room).cellHeight(CELL).minFrameSize(NARROW).inverted(true).resetHeightOnZoom(true)
      .transitionDuration(0).setColorMapper(paint).setLabelHandler((d) => this.label(d))
      .setSearchMatch((d, term) => Boolean(term) && frameText(d.data).toLowerCase().includes(term.toLowerCase()))
      .setSearchHandler((found, sum) => this.say(`${found.length} frames found, ${sizeText(sum)} of ${sizeText(this.root.value)}`))
      .setDetailsHandler((text) => this.say(text ?? ''))
      .onClick((d) => { this.at = d; this.say(this.label(d)); });
    this.chart.getName((d) => clean(frameText(d.data), 200));
    d3.select(this.box).datum(this.root).call(this.chart);
    this.at = d3.select(this.box).datum();
    if (this.term) this.search(this.term);
  }

  say(text) {
    say(this.details, text);
  }

  search(term) {
    this.term = term;
    if (!this.chart) return;
    if (term) this.chart.search(term);
    else this.chart.clear();
  }

  // Down and up the stack, left and right among its neighbours; Enter zooms, Escape shows all.
  key(event) {
    const at = this.at;
    if (!at || !this.chart) return;
    const row = at.parent ? at.parent.children : [at], here = row.indexOf(at);
    const next = { ArrowDown: at.children && at.children[0], ArrowUp: at.parent, ArrowLeft: row[here - 1], ArrowRight: row[here + 1] };
    if (event.key === 'Enter') this.chart.zoomTo(at);
    else if (event.key === 'Escape') this.chart.resetZoom();
    else if (next[event.key]) this.focus(next[event.key]);
    else return;
    event.preventDefault();
  }

  focus(node) {
    this.at = node;
    this.say(this.label(node));
    d3.select(this.box).selectAll('g.frame').classed('at', (d) => d === node);
  }
}

function largest(flame) {
  const leaves = [];
  const walk = (node, path) => {
    const own = node.value - node.children.reduce((sum, child) => sum + child.value, 0);
    if (own > 0 && node.frame) leaves.push({ own, path: [...path, node] });
    node.children.forEach((child) => walk(child, [...path, node]));
  };
  walk(flame.root, []);
  leaves.sort((a, b) => b.own - a.own);
  return leaves.slice(0, 20);
}

// Growth if there is any, else live bytes, or the peak if most of its bytes were released by the end.
function firstValue(data, process, stacks) {
  const sum = (name) => {
    const number = data.values.findIndex((value) => value.name === name);
    return stacks.samples.reduce((all, sample) => all + sample[1][number], 0);
  };
  if (GROWING.includes(process.verdict) && sum('growth_bytes') > 0) return 'growth_bytes';
  return sum('live_bytes') < sum('peak_bytes') / 2 ? 'peak_bytes' : 'live_bytes';
}

export function flame(data, process, frames, signal) {
  const details = h('p', { class: 'details', role: 'status' }, '');
  const box = h('div', { class: 'flame', tabindex: '0', role: 'group',
    'aria-label': 'Flame graph: arrows move along the stacks, Enter zooms, Escape shows all' });
  const chart = new Flame(data, process, frames, box, details, signal);
  const list = h('ol', { class: 'stacks' });
  const says = h('p', { class: 'faint' });
  const show = (value) => {
    chart.draw(value);
    const words = data.values.find((one) => one.name === value).says;
    say(says, value === 'growth_bytes' ? `Bytes per ${rateUnit(process)} allocated in the second half of the run and still alive.`
      : words[0].toUpperCase() + words.slice(1) + '.');
    list.replaceChildren(...largest(chart).map(({ own, path }) => h('li', {}, h('b', {}, sizeText(own)), ' ',
      path.slice(1).reverse().map(frameText).join(' ← '))));
  };
  box.addEventListener('keydown', (event) => chart.key(event));
  const first = firstValue(data, process, chart.stacks);
  requestAnimationFrame(() => { if (!signal.aborted) show(first); });
  return [h('div', { class: 'controls' }, chooser('What the flame graph counts', Object.entries(NAMES), first, show),
    h('label', { class: 'search' }, h('span', { class: 'hidden' }, 'Search the flame graph'),
      h('input', { type: 'search', placeholder: 'Search', oninput: (event) => chart.search(event.target.value) })),
    h('span', { class: 'key' }, LANGUAGES.map(([name, text]) => h('span', {}, h('span', { class: 'swatch flame-' + name }), text)))),
  patterns(), says, box, details, h('details', {}, h('summary', {}, 'The largest stacks as a list'), list)];
}
