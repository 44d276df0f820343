// measured.js - how the numbers were measured, what that cost the program, and what is missing.
import { h } from './dom.js';
import { count, seconds, size, ticks } from './format.js';

const MOST = 50;

function row(name, ...content) {
  return [h('dt', {}, name), h('dd', {}, ...content)];
}

function pauses(line) {
  const all = line ? [...line.interventions.map((one) => ({ ...one, what: one.kind })),
    ...line.searches.map((one) => ({ ...one, what: 'search for holders' }))].sort((a, b) => a.seconds - b.seconds) : [];
  if (all.length === 0) return null;
  return h('details', {}, h('summary', {}, `Requests of tare to the program: ${all.length}`), h('table', { class: 'plain' },
    h('thead', {}, h('tr', {}, ['At', 'What', 'Pause', 'Live before', 'after', 'Resident before', 'after'].map((name) => h('th', { scope: 'col' }, name)))),
    h('tbody', {}, all.slice(0, MOST).map((one) => h('tr', {}, h('td', { class: 'number' }, seconds(one.seconds)), h('td', {}, one.what),
      h('td', { class: 'number' }, seconds(one.pause_seconds)),
      ['live_before', 'live_after', 'resident_before', 'resident_after'].map((key) =>
        h('td', { class: 'number' }, one[key] === undefined ? '' : size(one[key]))))))));
}

function time(value) {
  return value > 0 && value < 0.0005 ? 'under 1 ms' : seconds(value);
}

function spent(cost) {
  if (!cost) return ['not known'];
  const kinds = cost.kinds.filter((one) => one.kind !== 'last_round');
  return [time(cost.program_seconds), ' of processor time in the program, ', time(cost.copy_seconds), ' in copies of it; longest pause ',
    time(cost.longest_pause_seconds), '; waited for tare before its end: ', time(cost.wait_seconds),
    kinds.length === 0 ? null : h('table', { class: 'plain' },
      h('thead', {}, h('tr', {}, ['What', 'Times', 'Refused', 'In the program', 'In copies', 'Pauses', 'Longest', 'Written'].map((name) => h('th', { scope: 'col' }, name)))),
      h('tbody', {}, kinds.map((one) => h('tr', {}, h('td', {}, one.what), h('td', { class: 'number' }, count(one.count)),
        h('td', { class: 'number' }, count(one.refused)),
        ['program_seconds', 'copy_seconds', 'pause_seconds', 'longest_pause_seconds'].map((key) => h('td', { class: 'number' }, time(one[key]))),
        h('td', { class: 'number' }, size(one.bytes))))))];
}

function whole(cost) {
  if (!cost || !cost.tare_seconds) return null;
  return row('Whole run', cost.run_seconds ? [time(cost.run_seconds), ' of processor time, of which measuring took ',
    time((cost.program_seconds || 0) + (cost.copy_seconds || 0)), '; '] : null,
  'tare run itself ', time(cost.tare_seconds), ', ', time(cost.look_seconds), ' of it for ', count(cost.looks), ' looks at ledgers');
}

export function measured(data, process) {
  const line = data.timelines.find((one) => one.pid === process.pid && one.generation === process.generation);
  const how = process.measured;
  return [h('dl', { class: 'rows' },
    row('Command', h('code', {}, process.command)),
    row('End', process.ended, ' after ', seconds(process.seconds)),
    row('Clock', count(process.steps.count), ' ', ticks(process), ' by the clock “', process.steps.clock, '”: ', process.steps.reason),
    row('Samples', count(how.samples), ' blocks, one per ', size(how.sampling_rate), ' on average, in ', count(how.intervals), ' intervals'),
    row('Allocator', how.allocator || 'not known'),
    row('Allocated', size(process.memory.allocated_bytes), ' in ', count(process.memory.allocated_blocks), ' blocks, by ',
      count(process.memory.threads), process.memory.threads === 1 ? ' thread' : ' threads'),
    row('Pauses', seconds(how.pause_seconds), ' in total'),
    row('Cost', ...spent(process.cost)), whole(data.report.cost),
    row('Lost', process.lost.length === 0 ? 'nothing'
      : h('ul', {}, process.lost.map((loss) => h('li', {}, count(loss.count), ' ', loss.what)))),
    process.notes.length > 0 ? row('Notes', h('ul', {}, process.notes.map((note) => h('li', {}, note)))) : null),
  pauses(line),
  h('p', { class: 'faint' }, 'Written by tare ', data.report.tare, '. Sizes are powers of 1,024; estimates come from samples.')];
}
