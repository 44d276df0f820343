// devices.js - the memory of each device: what it is made of, what a framework's pool keeps, and the largest lines.
import { h } from './dom.js';
import { bar, sites } from './account.js';
import { count, place, size } from './format.js';

const ROLES = { parameters: 'parameters', gradients: 'gradients', optimizer: 'optimizer state' };

// The parts of what is taken: what is in use, by role as far as the framework knows, and what is free in its pool.
function parts(device) {
  const roles = Object.entries(ROLES).map(([name, words]) => ({ name: words, bytes: device.roles[name] })).filter((one) => one.bytes > 0);
  const known = roles.reduce((all, one) => all + one.bytes, 0), taken = Math.max(device.taken, device.used);
  const lines = [...roles, { name: known > 0 ? 'other, in use' : 'in use', bytes: Math.max(0, device.used - known) },
    { name: 'free in the pool', bytes: taken - device.used }].filter((one) => one.bytes > 0);
  return { lines, rest: 0, sum: lines.reduce((all, one) => all + one.bytes, 0) };
}

function facts(device, show) {
  const refused = device.refused;
  return h('ul', { class: 'notes' },
    h('li', {}, 'Most in use at any time: ', size(device.most), '.'),
    device.blocks > 0 ? h('li', {}, 'In use now: ', count(device.blocks), ' blocks.') : null,
    device.pool > 0 ? h('li', {}, 'A framework’s pool has ', size(device.pool), ' of what is taken, and ', size(Math.max(0, device.pool - device.pool_used)),
      ' of that is free.', device.returnable > 0 ? [' It could return ', size(device.returnable), ' to the driver.'] : null) : null,
    device.pinned > 0 ? h('li', {}, size(device.pinned), ' of the free memory lies beside blocks in use and stays while they do',
      device.pinned_by ? ['; the block that keeps most was made at ', place(device.pinned_by, show(device.pinned_by))] : null, '.') : null,
    refused ? h('li', {}, 'A request of ', size(refused.bytes), ' was refused, while ', size(refused.used), ' were in use and ', size(refused.taken),
      ' were taken', refused.free > 0 ? ['; the device had ', size(refused.free), ' free'] : null, '.') : null,
    device.seen ? null : h('li', {}, 'These are the framework’s own numbers: tare did not see the single blocks.'));
}

function block(device, show) {
  const all = parts(device), taken = Math.max(device.taken, device.used);
  return [h('h3', {}, `Device ${device.index}`, device.name ? `: ${device.name}` : null),
    all.lines.length > 0 ? bar(all, `Memory taken on device ${device.index}`, taken) : null,
    h('table', { class: 'plain', 'data-device': device.index }, h('thead', { class: 'hidden' }, h('tr', {},
      ['What', 'Bytes'].map((name) => h('th', { scope: 'col' }, name)))),
    h('tbody', {}, all.lines.map((line, i) => h('tr', {},
      h('th', { scope: 'row' }, h('span', { class: 'swatch hue' + i % 10 }), line.name), h('td', { class: 'number' }, size(line.bytes))))),
    h('tfoot', {}, h('tr', {}, h('th', { scope: 'row' }, 'taken', device.memory > 0 ? [' of ', size(device.memory)] : null),
      h('td', { class: 'number' }, size(taken))))),
    facts(device, show),
    device.live_sites.length > 0 ? [h('p', { class: 'faint' }, 'In use now, by the line that allocated it (estimated from samples):'),
      sites(device.live_sites, (site) => site.live_bytes, show)] : null];
}

// Nothing for a process without a device.
export function devices(process, show) {
  return process.devices.map((device) => block(device, show));
}
