// account.js - the parts of the resident size, as a bar that adds up, and the parts of the peak.
import { h } from './dom.js';
import { arrayText, count, place, rateUnit, size, sizeText, tick } from './format.js';

const FIRST = 8; // sites shown without a click

// The lines that are not 0, and the unexplained rest.
function parts(account) {
  const lines = account.lines.filter((line) => line.bytes > 0);
  const rest = account.remainder ?? 0;
  return { lines, rest, sum: lines.reduce((all, line) => all + line.bytes, 0) + Math.max(0, rest) };
}

function share(part) {
  return part < 0.005 ? 'under 1%' : Math.round(100 * part) + '%';
}

export function bar({ lines, rest, sum }, what, whole) {
  const pieces = lines.map((line, i) => h('span', { class: 'piece hue' + i % 10, style: `flex-grow:${line.bytes / sum}`,
    title: `${line.name}: ${sizeText(line.bytes)}` }));
  if (rest > 0) pieces.push(h('span', { class: 'piece unexplained', style: `flex-grow:${rest / sum}`, title: 'unexplained' }));
  return h('div', { class: 'stack', role: 'img', 'aria-label': `${what}, ${sizeText(whole)}, by what it is made of` },
    pieces);
}

export function account(process) {
  const all = parts(process.account);
  if (all.lines.length === 0) return [h('p', { class: 'faint' }, 'The resident size of this process was not divided into parts.')];
  const lines = all.lines.map((line, i) => h('tr', {},
    h('th', { scope: 'row' }, h('span', { class: 'swatch hue' + i % 10 }), line.name),
    h('td', { class: 'number' }, size(line.bytes)),
    h('td', { class: 'number faint' }, share(line.bytes / all.sum)),
    h('td', { class: 'faint extra' }, line.source)));
  lines.push(h('tr', {}, h('th', { scope: 'row' }, h('span', { class: 'swatch unexplained' }), 'unexplained'),
    h('td', { class: 'number' }, size(all.rest)), h('td', {}), h('td', { class: 'extra' })));
  return [bar(all, 'Resident size', process.account.resident),
    h('table', { class: 'plain' }, h('thead', { class: 'hidden' }, h('tr', {},
      ['What', 'Bytes', 'Share', 'Measured by'].map((name) => h('th', { scope: 'col' }, name)))),
    h('tbody', {}, lines),
    h('tfoot', {}, h('tr', {}, h('th', { scope: 'row' }, 'resident'),
      h('td', { class: 'number' }, size(process.account.resident)), h('td', {}), h('td', { class: 'extra' }))))];
}

// Sites with bars, by one of their numbers. `show` returns the action of a click on a place, or null.
function table(list, pick, most, show) {
  return h('table', { class: 'plain sites' }, h('thead', { class: 'hidden' }, h('tr', {},
    ['Bytes', 'Part', 'Line'].map((name) => h('th', { scope: 'col' }, name)))),
  h('tbody', {}, list.map((site) => {
    const where = site.allocated_at[0];
    const caller = site.allocated_at.find((one, i) => i > 0 && one.user && one.function !== where.function);
    return h('tr', {}, h('td', { class: 'number' }, size(pick(site))),
      h('td', { class: 'gauge', 'aria-hidden': 'true' }, h('span', { style: `width:${100 * Math.max(0, pick(site)) / most}%` })),
      h('td', {}, where ? place(where, show(where)) : '(the stack was not recorded)',
        where && where.text ? h('code', { class: 'line' }, where.text) : null,
        caller ? h('div', { class: 'faint' }, 'called from ', place(caller)) : null));
  })));
}

export function sites(list, pick, show) {
  const most = Math.max(1, ...list.map(pick)), rest = list.slice(FIRST);
  return [table(list.slice(0, FIRST), pick, most, show),
    rest.length > 0 ? h('details', {}, h('summary', {}, `${rest.length} more`), table(rest, pick, most, show)) : null];
}

function part(one, show) {
  const where = one.allocated_at[0];
  return h('li', {}, size(one.bytes), ' ', where ? place(where, show(where)) : '(the stack was not recorded)',
    one.array ? h('span', { class: 'faint' }, '; ', arrayText(one.array)) : null,
    one.held_by ? ['; held by ', h('code', {}, one.held_by)] : null);
}

function saving(one) {
  return h('div', { class: 'remedy' }, h('p', {}, h('b', {}, 'Saves ', size(one.bytes)), ', leaves ', size(one.remains),
    one.lowers_peak ? null : ' (of what stays, not of the peak)', ': ', one.text),
  one.code ? h('pre', { class: 'code' }, h('code', {}, one.code)) : null);
}

// Advice about the peak, and what each change saves.
function advice(finding, show) {
  return h('article', { class: 'card calm' }, h('p', { class: 'summary' }, finding.summary),
    h('ul', {}, finding.parts.map((one) => part(one, show))), finding.savings.map(saving));
}

export function peak(process, show) {
  const list = process.peak.sites.filter((site) => site.peak_bytes > 0);
  if (list.length === 0) return [h('p', { class: 'faint' }, 'No allocation was sampled at the peak.')];
  return [h('p', {}, 'The heap was largest, ', size(process.peak.bytes), ', at ',
    tick(process), ' ', count(process.peak.step), '. Estimated from samples, by line:'),
  sites(list, (site) => site.peak_bytes, show), process.peak.findings.map((finding) => advice(finding, show))];
}

export function growing(process, show) {
  const list = process.sites.growing;
  if (list.length === 0) return null;
  return [h('h3', {}, 'Growing lines'),
    h('p', { class: 'faint' }, 'Bytes per ', rateUnit(process), ' allocated in the second half of the run and still alive.'),
    sites(list, (site) => site.growth_per_step, show)];
}
