// format.js - numbers as in the text report, with the exact value on hover.
import { h } from './dom.js';

const UNITS = ['B', 'KB', 'MB', 'GB', 'TB', 'PB', 'EB'];

export function sizeText(bytes) {
  if (!Number.isFinite(bytes)) return '?';
  const sign = bytes < 0 ? '-' : '';
  let value = Math.abs(bytes), unit = 0;
  while (value >= 999.5 && unit < UNITS.length - 1) {
    value /= 1024;
    unit++;
  }
  if (unit === 0) return sign + Math.round(value) + ' B';
  return sign + value.toFixed(value < 9.95 ? 1 : value < 99.95 ? 1 : 0) + ' ' + UNITS[unit];
}

export function countText(count) {
  return Number.isFinite(count) ? Math.round(count).toLocaleString('en-US') : '?';
}

// "1.2 million", "48,000": two digits, as in the text report.
export function roundText(number) {
  if (!Number.isFinite(number)) return '?';
  const digits = number >= 10 ? 10 ** (Math.floor(Math.log10(number)) - 1) : 1;
  if (number >= 1e9) return (number / 1e9).toFixed(number < 9.95e9 ? 1 : 0) + ' billion';
  if (number >= 1e6) return (number / 1e6).toFixed(number < 9.95e6 ? 1 : 0) + ' million';
  return countText(Math.round(number / digits) * digits);
}

export function secondsText(seconds) {
  if (!Number.isFinite(seconds)) return '?';
  if (seconds < 0.0995) return Math.round(seconds * 1000) + ' ms';
  const scales = [[9.95, 1, 1, 's'], [99.5, 1, 0, 's'], [5970, 60, 0, 'min'], [35820, 3600, 1, 'h'],
    [171000, 3600, 0, 'h'], [8.6e7, 86400, 0, 'days']];
  const scale = scales.find(([below]) => seconds < below);
  return scale ? (seconds / scale[1]).toFixed(scale[2]) + ' ' + scale[3] : 'years';
}

export function size(bytes) {
  return h('data', { value: bytes, title: countText(bytes) + ' bytes' }, sizeText(bytes));
}

export function count(number) {
  return h('data', { value: number }, countText(number));
}

export function seconds(number) {
  return h('data', { value: number }, secondsText(number));
}

export function percent(share) {
  return h('data', { value: share }, Math.round(share * 100) + '%');
}

// The name of the ticks of the chosen clock: steps, batches, requests, slices of time.
export function tick(process) {
  return process.steps.tick ?? 'step';
}

export function ticks(process) {
  return process.steps.ticks ?? 'steps';
}

// With the clock of time, rates are per second.
export function rateUnit(process) {
  return process.steps.clock === 'time' ? 'second' : tick(process);
}

export function baseName(path) {
  return String(path ?? '').split('/').pop();
}

// "leak.py:11 in Tracker.log", with the whole path on hover.
export function place(where, link) {
  const spot = where.file ? baseName(where.file) + (where.line ? ':' + where.line : '') : where.module;
  const shown = link ? h('a', { href: '#source', onclick: link, title: where.file }, spot)
    : h('span', { title: where.file }, spot ?? '');
  return h('span', { class: 'place' }, shown, where.function ? [' in ', h('b', {}, where.function)] : null);
}

// "float32 (64, 1000), 250 KB (torch)"
export function arrayText(array) {
  return [array.dtype, array.dtype ? ' ' : null, array.shape, ', ', size(array.bytes), ' (', array.library, ')'];
}
