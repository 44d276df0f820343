// verdict.js - the answer, and each finding as a card: kind, confidence, place, holder, fix.
import { h } from './dom.js';
import { arrayText, count, percent, place, rateUnit, roundText, seconds, size, tick, ticks } from './format.js';

const AROUND = 2; // lines of source before and after the line of the finding
const LEAKS = ['retained', 'native', 'unbounded-cache'];

export function tone(kind) {
  return LEAKS.includes(kind) ? 'bad' : kind === 'undecided' ? 'unsure' : kind === 'clean' ? 'good' : 'calm';
}

export function badge(kind) {
  return h('span', { class: 'badge ' + tone(kind) }, kind);
}

function row(name, ...content) {
  return [h('dt', {}, name), h('dd', {}, ...content)];
}

function code(text) {
  return text ? h('pre', { class: 'code' }, h('code', {}, text)) : null;
}

function middle(low, high) {
  return Number.isFinite(high) && high !== null ? Math.sqrt(low * high) : low;
}

// "9 h to 10 h", or "about 1.8 h" if the two hardly differ, as in the text report.
function span(low, high) {
  if (high === null) return [seconds(low), ' or more'];
  return high < 1.1 * low ? ['about ', seconds(middle(low, high))] : [seconds(low), ' to ', seconds(high)];
}

export function forecastText(process) {
  const forecast = process.forecast;
  const steps = [' (', roundText(middle(forecast.steps_low, forecast.steps_high)), ' ', ticks(process), ')'];
  return ['Out of memory in ', span(forecast.seconds_low, forecast.seconds_high), process.steps.clock === 'time' ? [] : steps,
    '; ', forecast.limit || 'memory limit', ': ', size(forecast.headroom), ' left'];
}

// The line with its neighbours if the file is in the page, else the line alone.
function excerpt(where, lines) {
  const around = lines(where.file, where.line - AROUND, where.line + AROUND);
  if (!around.some((line) => line.number === where.line)) return code(where.text);
  return h('pre', { class: 'code excerpt' }, around.map((line) => h('code', { class: line.number === where.line ? 'here' : '' },
    h('span', { class: 'lineno', 'aria-hidden': 'true' }, line.number), line.text)));
}

// The line that has to change: the store line, or, if that is not known, the allocating line.
function mainPlace(finding, tools) {
  const where = finding.stored_at ?? finding.allocated_at[0];
  return where ? row(finding.stored_at ? 'Stored at' : 'Made at', place(where, tools.link(where)), excerpt(where, tools.lines)) : null;
}

function otherPlaces(finding, tools) {
  const linked = (where) => place(where, tools.link(where));
  const made = finding.allocated_at[0];
  const callers = finding.allocated_at.slice(1, 4).filter((where) => where.user)
    .map((where) => h('div', { class: 'faint' }, 'called from ', linked(where)));
  if (finding.stored_at && made) return row('Made at', linked(made), code(made.text), callers);
  return callers.length > 0 ? row('Callers', callers) : null;
}

// Every line that makes the memory, where there are several.
function madeLines(process, finding, tools) {
  const lines = finding.made_at ?? [];
  if (lines.length < 2) return null;
  return row('Lines', lines.map((line) => h('div', {}, place(line.place, tools.link(line.place)),
    h('span', { class: 'faint' }, ` ${size(line.bytes_per_step)} per ${rateUnit(process)}, ${Math.round(100 * line.share)}%`))));
}

const WAYS = { replace: 'In place of', after: 'After', before: 'Before' };

// " In place of train.py:21:", as the text report has it.
function fixPlace(what) {
  if (!what.where) return '';
  const more = what.where === 'replace' && what.last_line > what.line ? `-${what.last_line}` : '';
  return ` ${WAYS[what.where]} ${what.file.split('/').pop()}:${what.where === 'after' ? what.last_line : what.line}${more}:`;
}

// The native code that the line called: in one line, and frame by frame.
function nativeFrames(finding) {
  return [h('code', {}, finding.made_in), finding.native_frames.filter((frame) => frame.symbol).map((frame) =>
    h('div', { class: 'faint' }, `${frame.near ? 'near ' : ''}${frame.symbol} (${frame.module})`))];
}

function remedy(what) {
  if (!what.text && !what.code && !what.setting) return null;
  return h('div', { class: 'remedy' }, h('h4', {}, 'Fix'), what.text ? h('p', {}, what.text + fixPlace(what)) : null,
    code(what.code), code(what.setting));
}

// " on device 0" for memory of a device.
function onDevice(finding) {
  return finding.memory === 'device' ? ` on device ${finding.device}` : '';
}

function numbers(process, finding) {
  const rate = finding.bytes_per_step, beside = finding.host_bytes_per_step, known = finding.kind !== 'undecided' || rate.low > 0;
  return h('ul', { class: 'numbers' },
    !known ? null : h('li', {}, h('strong', {}, size(rate.estimate)), h('span', {}, ' per ', rateUnit(process), onDevice(finding)),
      h('small', {}, size(rate.low), ' to ', size(rate.high))),
    !(beside >= 1) ? null : h('li', {}, h('strong', {}, size(beside)), h('span', {}, ' per ', rateUnit(process), ' on the host'),
      h('small', {}, 'the records of that memory')),
    finding.live_blocks > 0 ? h('li', {}, h('strong', {}, size(finding.live_bytes)), h('span', {}, ' alive'),
      h('small', {}, 'in about ', count(finding.live_blocks), ' blocks')) : null,
    h('li', {}, h('strong', {}, percent(finding.confidence)), h('span', {}, ' sure'),
      h('small', {}, 'since ', tick(process), ' ', count(finding.since))));
}

function card(process, finding, tools) {
  const title = 'finding-' + finding.number;
  return h('article', { class: 'card ' + tone(finding.kind), 'aria-labelledby': title, 'data-finding': finding.number },
    h('h3', { id: title }, h('span', { class: 'ordinal' }, finding.number), badge(finding.kind),
      onDevice(finding) ? h('span', { class: 'faint' }, onDevice(finding).trim()) : null,
      finding.note ? h('span', { class: 'faint' }, 'too small to count') : null),
    h('p', { class: 'summary' }, finding.summary),
    h('dl', { class: 'rows' }, mainPlace(finding, tools)),
    remedy(finding.remedy),
    numbers(process, finding),
    h('dl', { class: 'rows' }, otherPlaces(finding, tools), madeLines(process, finding, tools),
      finding.made_in ? row('In', nativeFrames(finding)) : null,
      finding.array ? row('Each', arrayText(finding.array)) : null,
      finding.held_by && !finding.holder_unsearched ? row('Held by', h('code', {}, finding.held_by)) : null,
      finding.holder_unsearched ? row('Held by', finding.held_by ? `${finding.held_by}; ` : '',
        `not searched (${finding.holder_unsearched})`) : null,
      finding.evidence.length > 0
        ? row('Why', h('ul', {}, finding.evidence.map((line) => h('li', {}, line)))) : null,
      finding.more_steps > 0 && !process.early && process.steps.clock !== 'time' ? row('Needs', count(finding.more_steps), ' more ', ticks(process)) : null));
}

// The answer in one sentence, at the top.
export function answer(report) {
  return h('section', { id: 'answer', class: 'answer ' + tone(report.verdict), 'aria-labelledby': 'answer-title' },
    h('p', { class: 'question', id: 'answer-title' }, 'Does it leak?'),
    h('h1', {}, report.answer),
    h('p', { class: 'faint' }, badge(report.verdict), ' ', percent(report.confidence), ' sure, after ',
      seconds(report.seconds)),
    report.tried ? h('p', { class: 'tried' }, report.tried.sentence) : null,
    report.tried && report.tried.returned ? h('p', { class: 'tried' }, report.tried.returned) : null,
    report.notes.length > 0 ? h('ul', { class: 'notes' }, report.notes.map((note) => h('li', {}, note))) : null);
}

export function findings(process, several, tools) {
  const firm = process.findings.filter((finding) => !finding.note);
  const notes = process.findings.filter((finding) => finding.note);
  return [
    several ? h('p', { class: 'summary' }, process.answer)
      : process.findings.length === 0 ? h('p', { class: 'faint' }, 'There are none.') : null,
    firm.map((finding) => card(process, finding, tools)),
    process.forecast ? h('p', { class: 'forecast' }, h('b', {}, 'Forecast: '), forecastText(process), '.') : null,
    notes.length > 0 ? h('details', { open: firm.length === 0 },
      h('summary', {}, notes.length === 1 ? 'One small finding' : notes.length + ' small findings',
        ' that the verdict does not depend on'),
      notes.map((finding) => card(process, finding, tools))) : null,
  ];
}

// The findings of the other processes, each once; a click turns the page to its process.
export function elsewhere(all, chosen, choose) {
  const seen = new Set(all[chosen].findings.map((finding) => finding.number));
  const rows = all.flatMap((process, i) => process.passed_over ? [] : process.findings.map((finding) => ({ process, i, finding })))
    .filter(({ finding }) => !finding.note && !seen.has(finding.number) && seen.add(finding.number))
    .sort((a, b) => a.finding.number - b.finding.number)
    .map(({ process, i, finding }) => h('li', { 'data-elsewhere': finding.number }, h('span', { class: 'ordinal' }, finding.number), ' ',
      badge(finding.kind), ' ', h('button', { type: 'button', class: 'link', onclick: () => choose(i) }, `process ${process.pid}`),
      ': ', finding.summary));
  return rows.length > 0 ? [h('h3', {}, 'In other processes'), h('ul', { class: 'elsewhere' }, rows)] : null;
}
