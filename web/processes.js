// processes.js - the processes of the run as a tree, with the growth of each.
import { h } from './dom.js';
import { baseName, countText, size } from './format.js';
import { badge } from './verdict.js';

// Growth of private memory as the kernel counted it; if it was read only once, growth of the program's heap
// and mappings.
function privateGrowth(data, process) {
  const line = data.timelines.find((one) => one.pid === process.pid && one.generation === process.generation);
  if (!line) return null;
  const read = line.private, last = line.live.length - 1;
  if (read.length > 1) return { bytes: read[read.length - 1][1] - read[0][1], source: 'the kernel’s count of private pages' };
  if (last < 1) return null;
  return { bytes: line.live[last] + line.mapped[last] - line.live[0] - line.mapped[0], source: 'live heap and mappings' };
}

// Depth in the tree. The programs that one process ran after each other (exec) have the same depth.
function depths(processes) {
  const depth = new Map();
  for (const process of processes) {
    if (!depth.has(process.pid)) depth.set(process.pid, depth.has(process.parent_pid) ? depth.get(process.parent_pid) + 1 : 0);
  }
  return depth;
}

export function processes(data, chosen, choose) {
  const all = data.report.processes, depth = depths(all);
  const rows = all.map((process, i) => ({ process, i }));
  const brief = rows.filter(({ process, i }) => i !== chosen && process.passed_over);
  const rest = rows.filter((row) => !brief.includes(row));
  return [table(data, rest, depth, chosen, choose), brief.length === 0 ? null : h('details', {},
    h('summary', {}, brief.every(({ process }) => process.launcher) ? (brief.length === 1 ? 'One process' : brief.length + ' processes') + ' only started the program'
      : (brief.length === 1 ? 'One process was' : brief.length + ' processes were') + ' too short to judge'),
    table(data, brief, depth, chosen, choose))];
}

const NUMBERS = ['Live heap', 'Resident', 'Private growth', 'On devices', 'Steps'];

function table(data, rows, depth, chosen, choose) {
  const devices = rows.some(({ process }) => process.devices.length > 0);
  const names = ['Process', 'Verdict', ...NUMBERS, 'End'].filter((name) => devices || name !== 'On devices');
  return h('div', { class: 'scroll low', tabindex: '0', role: 'region', 'aria-label': 'Processes' },
    h('table', { class: 'plain tree' }, h('thead', {}, h('tr', {},
      names.map((name) => h('th', { scope: 'col', class: NUMBERS.includes(name) ? 'number' : '' }, name)))),
    h('tbody', {}, rows.map(({ process, i }) => {
      const growth = privateGrowth(data, process);
      return h('tr', { class: i === chosen ? 'chosen' : '', 'data-pid': process.pid },
        h('th', { scope: 'row', style: `padding-left:${0.5 + 1.2 * Math.min(12, depth.get(process.pid))}rem` },
          h('button', { type: 'button', class: 'link', 'aria-pressed': String(i === chosen), title: process.command, onclick: () => choose(i) },
            `${process.pid} ${baseName(process.program)}`)),
        h('td', {}, badge(process.verdict)), h('td', { class: 'number' }, size(process.memory.live_bytes)),
        h('td', { class: 'number' }, size(process.memory.resident_bytes)),
        h('td', { class: 'number', title: growth && growth.source }, growth ? size(growth.bytes) : null),
        devices ? h('td', { class: 'number' }, process.devices.length === 0 ? null
          : size(process.devices.reduce((sum, device) => sum + device.used, 0))) : null,
        h('td', { class: 'number' }, countText(process.steps.count)), h('td', { class: 'faint' }, process.ended));
    }))));
}
