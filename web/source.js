// source.js - the user's files, with the bytes that each line keeps, allocated and freed.
import { chooser, h, say, svg } from './dom.js';
import { baseName, size, sizeText } from './format.js';
import { linesOf, stacksOf } from './stacks.js';

const PARTS = 24, SPARK = { width: 96, height: 18 };

// Live memory of a line, by the part of the run in which it was allocated.
function spark(births) {
  const most = Math.max(...births);
  if (!(most > 0)) return null;
  const wide = SPARK.width / PARTS;
  return svg('svg', { class: 'spark', width: SPARK.width, height: SPARK.height, role: 'img',
    'aria-label': 'Live memory, by the time of its allocation' },
  births.map((bytes, i) => svg('rect', { x: i * wide, width: Math.max(1, wide - 0.8), y: SPARK.height * (1 - (bytes ?? 0) / most),
    height: SPARK.height * (bytes ?? 0) / most })));
}

function lineRow(number, text, numbers, marks) {
  const cell = (value) => h('td', { class: 'number' }, numbers && value > 0 ? size(value) : '');
  const freed = numbers ? Math.max(0, numbers.allocated - numbers.kept) : 0;
  return h('tr', { class: [numbers ? 'hot' : '', marks.get(number) ?? ''].join(' ').trim(), 'data-line': number },
    h('th', { scope: 'row' }, number), cell(numbers?.kept), cell(numbers?.allocated), cell(freed),
    h('td', { class: 'sparks' }, numbers ? spark(Array.from(numbers.births, (b) => b ?? 0)) : null),
    h('td', { class: 'text' }, h('code', {}, text)));
}

function fileTable(file, lines, marks) {
  const body = h('tbody');
  file.parts.forEach((part, i) => {
    if (i > 0 || part.first > 1) body.append(h('tr', { class: 'gap' }, h('td', { colspan: 6 }, '⋯')));
    part.lines.forEach((text, k) => body.append(lineRow(part.first + k, text, lines?.get(part.first + k), marks)));
  });
  return h('table', { class: 'source' }, h('thead', {}, h('tr', {}, ['Line', 'Kept', 'Allocated', 'Freed', 'Live, by age', 'Source']
    .map((name) => h('th', { scope: 'col' }, name)))), body);
}

// Lines that a finding names: the store line and the allocating line.
function marksOf(process, path) {
  const marks = new Map();
  for (const finding of process.findings) {
    const made = finding.allocated_at[0], stored = finding.stored_at;
    if (made && made.file === path) marks.set(made.line, 'made');
    if (stored && stored.file === path) marks.set(stored.line, 'stored');
  }
  return marks;
}

class Source {
  constructor(data, process, frames) {
    Object.assign(this, { data, process, frames, stacks: stacksOf(data, process), through: false });
    this.box = h('div', { class: 'scroll', tabindex: '0', role: 'region', 'aria-label': 'Source' });
    this.select = h('select', { onchange: () => this.draw(this.select.value) });
    this.note = h('p', { class: 'faint' });
    this.count();
    const order = data.files.filter((file) => this.files.has(file.path) || marksOf(process, file.path).size > 0);
    order.sort((a, b) => this.rank(b.path) - this.rank(a.path));
    this.select.append(...order.map((file) => h('option', { value: file.path },
      `${baseName(file.path)}, ${sizeText(this.kept(file.path))} kept`)));
    this.order = order;
  }

  count() {
    this.files = linesOf(this.stacks, this.frames, this.data.values, this.through);
  }

  kept(path) {
    return [...(this.files.get(path)?.values() ?? [])].reduce((sum, line) => sum + line.kept, 0);
  }

  // Files that a finding names come first, in its order; then those with most memory, now or at the peak.
  rank(path) {
    const named = this.process.findings.findIndex((finding) =>
      [finding.stored_at, ...finding.allocated_at.slice(0, 1)].some((where) => where && where.file === path));
    const lines = [...(this.files.get(path)?.values() ?? [])];
    const held = lines.reduce((sum, line) => sum + Math.max(line.kept, line.peak), 0);
    return held + (named < 0 ? 0 : 1e18 / (named + 1));
  }

  draw(path) {
    const file = this.order.find((one) => one.path === path) ?? this.order[0];
    this.path = file.path;
    this.select.value = file.path;
    say(this.note, file.path + (file.changed ? ' (changed since the run, so that it is not shown)' : ''));
    this.box.replaceChildren(fileTable(file, this.files.get(file.path), marksOf(this.process, file.path)));
    const first = this.box.querySelector('tr.stored, tr.made, tr.hot');
    if (first) this.box.scrollTop = Math.max(0, first.offsetTop - 120);
  }

  show(path, line) {
    if (!this.order.some((file) => file.path === path)) return;
    this.draw(path);
    const row = this.box.querySelector(`tr[data-line="${Number(line)}"]`);
    if (!row) return;
    this.box.scrollTop = Math.max(0, row.offsetTop - 120);
    row.classList.add('shown');
  }
}

export function source(data, process, frames) {
  const view = new Source(data, process, frames);
  if (view.order.length === 0) {
    const why = data.redacted ? 'Source is left out of a redacted page.' : 'No file of yours that allocates can be shown.';
    return { elements: [h('p', { class: 'faint' }, why)], show: () => {} };
  }
  view.draw(view.order[0].path);
  return { show: (path, line) => view.show(path, line), elements: [
    h('div', { class: 'controls' }, h('label', {}, h('span', { class: 'hidden' }, 'File'), view.select),
      chooser('What counts for a line', [['own', 'the line itself'], ['through', 'with what it calls']], 'own',
        (value) => { view.through = value === 'through'; view.count(); view.draw(view.path); })),
    view.note, view.box] };
}
