// survival.js - how many blocks of each span of steps are still alive. A leak keeps all blocks of every span, a
// ring only the newest, a plateau only the oldest; a lazy collector frees them late.
import { h, svg } from './dom.js';
import { count, countText, place, tick, ticks } from './format.js';

const HEIGHT = 118, LEFT = 44, BOTTOM = 24, TOP = 10;

function share(span) {
  return span.born > 0 ? Math.min(1, span.alive / span.born) : 0;
}

function describe(span, unit) {
  return `${unit} ${countText(span.first)} to ${countText(span.last)}: ${countText(span.alive)} of ` +
    `${countText(span.born)} alive`;
}

// Letters shrink with the picture, so that on a narrow screen the picture is drawn narrow.
function bars(spans, unit, label) {
  const WIDTH = Math.min(960, Math.max(320, innerWidth - 40));
  const wide = (WIDTH - LEFT) / spans.length, high = HEIGHT - BOTTOM - TOP;
  const y = (part) => TOP + high * (1 - part);
  const marks = spans.map((span, i) => {
    const x = LEFT + i * wide + 1.5, width = Math.max(1, wide - 3);
    return svg('g', {}, svg('title', {}, describe(span, unit)),
      svg('rect', { class: 'born', x, width, y: y(span.born > 0 ? 1 : 0), height: span.born > 0 ? high : 0 }),
      svg('rect', { class: 'alive', x, width, y: y(share(span)), height: high * share(span) }));
  });
  const grid = [0, 0.5, 1].map((part) => [
    svg('line', { x1: LEFT, x2: WIDTH, y1: y(part), y2: y(part), class: 'grid' }),
    svg('text', { x: LEFT - 6, y: y(part) + 4, 'text-anchor': 'end' }, part * 100 + '%')]);
  const ends = [svg('text', { x: LEFT, y: HEIGHT - 6 }, `${unit} ${countText(spans[0].first)}`),
    svg('text', { x: WIDTH, y: HEIGHT - 6, 'text-anchor': 'end' }, countText(spans[spans.length - 1].last))];
  return svg('svg', { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, class: 'survival', role: 'img', 'aria-label': label },
    grid, marks, ends);
}

function table(spans, units) {
  return h('details', {}, h('summary', {}, 'As a table'),
    h('table', {}, h('thead', {}, h('tr', {}, ['Born in ' + units, 'Born', 'Alive'].map((name) =>
      h('th', { scope: 'col' }, name)))),
    h('tbody', {}, spans.map((span) => h('tr', {},
      h('th', { scope: 'row' }, countText(span.first) + ' to ' + countText(span.last)),
      h('td', {}, count(span.born)), h('td', {}, count(span.alive)))))));
}

export function survival(process) {
  const shown = process.findings.filter((finding) => finding.survival.length > 0);
  const unit = tick(process), units = ticks(process);
  if (shown.length === 0) {
    return [h('p', { class: 'faint' }, 'No finding has blocks that were followed from their allocation.')];
  }
  const picture = (finding) => h('figure', { 'data-survival': finding.number },
    h('figcaption', {}, h('span', { class: 'ordinal' }, finding.number), ' ',
      finding.allocated_at[0] ? place(finding.allocated_at[0]) : finding.kind),
    bars(finding.survival, unit, `Share of sampled blocks still alive, by the ${unit} of their birth, finding ` +
      finding.number),
    table(finding.survival, units));
  const notes = shown.filter((finding) => finding.note), firm = shown.filter((finding) => !finding.note);
  return [h('p', { class: 'faint' }, `How many of the blocks allocated in each span of ${units} are still alive. A leak keeps them all; `
    + 'a full cache keeps the newest, a table filled once the oldest.'),
  firm.map(picture),
  notes.length > 0 ? h('details', { open: firm.length === 0 }, h('summary', {}, notes.length === 1 ? 'One small finding' : notes.length + ' small findings'),
    notes.map(picture)) : null];
}
