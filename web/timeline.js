// timeline.js - memory over time or steps: curves, limits, interventions, and the forecast.
import { chooser, h, whenResized } from './dom.js';
import { countText, secondsText, sizeText, tick, ticks } from './format.js';

const HEIGHT = 340, DEVICE_HEIGHT = 220;
const AHEAD = 0.25; // the forecast extends by this part of the run, or up to the limit on request
const CURVES = [
  { key: 'resident', label: 'Resident', color: '--curve-1', width: 2 },
  { key: 'live', label: 'Live heap', color: '--curve-2', width: 2 },
  { key: 'high', label: 'Live, highest', color: '--curve-2', dash: [2, 3] },
  { key: 'mapped', label: 'Mapped by the program' },
  { key: 'shared', label: 'Shared' },
];
const FREE_COLORS = ['--curve-5', '--curve-4', '--curve-3', '--curve-6', '--curve-7', '--curve-8']; // of all other curves
const GAUGES = {
  heap_used: 'Managed heap', heap_kept: 'Managed heap, after a collection', external: 'Outside the managed heap',
  python_arenas: 'Python’s pools', tensor_bytes: 'Tensors', device_pinned: 'Pinned for a device',
};
const DEVICE_CURVES = [ // gauges that are sums over all devices
  { key: 'device_taken', label: 'Taken', color: '--curve-4', width: 1.5, fill: '22' },
  { key: 'device_used', label: 'In use', color: '--curve-2', width: 2, fill: '38' },
];
// Distances between labels, in seconds: whole parts of a second, a minute, an hour or a day.
const APART = [0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200,
  10800, 21600, 43200, 86400, 172800, 432000, 864000, 1728000, 4320000, 8640000];
const STEPS_APART = Array.from({ length: 14 }, (_, i) => [1, 2, 5].map((digit) => digit * 10 ** i)).flat();
const TIME_UNITS = [[86400, 'days'], [3600, 'h'], [60, 'min'], [1, 's']];
const EVENTS = { trim: 'trim', collect: 'collection', intervention: 'intervention' };

function color(name) {
  return getComputedStyle(document.documentElement).getPropertyValue(name).trim();
}

function curvesOf(timeline) {
  const curves = CURVES.map((curve) => ({ ...curve, values: timeline[curve.key] }));
  for (const gauge of timeline.gauges) {
    if (gauge.bytes && !DEVICE_CURVES.some((curve) => curve.key === gauge.name)) curves.push({ key: gauge.name, label: GAUGES[gauge.name] ?? gauge.name.replace(/_/g, ' '), values: gauge.values });
  }
  const most = (values) => values.reduce((high, value) => Math.max(high, value), 0);
  const top = Math.max(...curves.map((curve) => most(curve.values)));
  // A curve that equals another one, or is empty, is only in the table.
  const apart = (curve) => curve.key !== 'high' || curve.values.some((value, i) => value > timeline.live[i] + top / 50);
  const shown = curves.filter((curve) => most(curve.values) > top / 500 && apart(curve));
  let free = 0;
  return shown.map((curve) => ({ ...curve, color: curve.color ?? FREE_COLORS[free++ % FREE_COLORS.length] }));
}

function deviceCurves(timeline) {
  return DEVICE_CURVES.flatMap((curve) => {
    const gauge = timeline.gauges.find((one) => one.name === curve.key);
    return gauge ? [{ ...curve, values: gauge.values }] : [];
  });
}

// Is the limit that the forecast is about the memory of a device?
function aboutDevice(process, limits) {
  const bytes = process.forecast?.limit_bytes;
  return process.devices.some((device) => device.memory > 0 && device.memory === bytes) ||
    limits.some((limit) => limit.device && limit.bytes === bytes);
}

// What is drawn in one picture: the memory of the host, or that of all devices together. `grows`: the curve that the forecast extends.
function hostTrack(line, process, limits) {
  return { name: 'Memory', height: HEIGHT, curves: curvesOf(line), grows: line.resident, events: true,
    forecast: aboutDevice(process, limits) ? null : process.forecast, limits: limits.filter((limit) => !limit.device) };
}

function deviceTrack(line, process, limits) {
  const curves = deviceCurves(line), own = process.devices, one = own.length === 1 ? own[0] : null;
  if (curves.length === 0) return null;
  const memory = one && one.memory > 0 ? [{ name: `memory of device ${one.index}`, bytes: one.memory }] : [];
  return { name: one ? `Memory of device ${one.index}` : 'Memory of all devices', height: DEVICE_HEIGHT, curves, events: false,
    grows: curves[curves.length - 1].values, forecast: aboutDevice(process, limits) ? process.forecast : null,
    limits: memory.length > 0 ? memory : own.length > 1 ? [] : limits.filter((limit) => limit.device) };
}

// The slope of growth for the forecast, in bytes per unit of x: [low, high].
function slopes(forecast, bySteps) {
  if (!forecast) return null;
  const [soon, late] = bySteps ? [forecast.steps_low, forecast.steps_high] : [forecast.seconds_low, forecast.seconds_high];
  return soon > 0 && late > 0 ? [forecast.headroom / late, forecast.headroom / soon] : null;
}

// The place of an event on an axis of steps: that of the point before it.
function tickAt(timeline, seconds) {
  let found = 0;
  for (let i = 0; i < timeline.seconds.length && timeline.seconds[i] <= seconds; i++) found = timeline.tick[i];
  return found;
}

function fullCollections(timeline, xs) {
  const gauge = timeline.gauges.find((one) => one.name === 'python_full' || one.name === 'collections');
  if (!gauge) return [];
  return xs.filter((_, i) => i > 0 && gauge.values[i] > gauge.values[i - 1]);
}

class Chart {
  // `charts`: all charts of the process, this one included; they are zoomed together.
  constructor(timeline, process, track, charts, box, signal) {
    Object.assign(this, { timeline, process, ...track, charts, box, bySteps: false, toLimit: false });
    whenResized(box, signal, () => this.resize());
    matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => this.draw(), { signal });
    signal.addEventListener('abort', () => this.plot?.destroy());
  }

  get limit() {
    const forecast = this.forecast;
    return forecast ? forecast.limit_bytes : Math.min(...this.limits.map((one) => one.bytes));
  }

  ranges() {
    const xs = this.xs, last = xs[xs.length - 1] || 1, first = Math.min(0, xs[0] || 0);
    const cone = slopes(this.forecast, this.bySteps), ahead = last * this.ahead;
    const high = this.curves.reduce((top, curve) => curve.values.reduce((a, b) => Math.max(a, b), top), 1);
    if (this.toLimit && cone) return { x: [first, (last + this.forecast.headroom / cone[0]) * 1.05], y: [0, this.limit * 1.08] };
    if (this.toLimit && Number.isFinite(this.limit)) return { x: [first, last], y: [0, this.limit * 1.08] };
    return { x: [first, last + ahead], y: [0, (high + (cone ? cone[1] * ahead : 0)) * 1.08] };
  }

  // Every chart of the process has the same axis, so all leave room where one of them has a forecast.
  get ahead() {
    return this.charts.some((chart) => slopes(chart.forecast, this.bySteps)) ? AHEAD : 0;
  }

  interventions() {
    if (!this.events) return [];
    const at = (seconds) => this.bySteps ? tickAt(this.timeline, seconds) : seconds;
    return this.timeline.interventions.map((one) => ({ x: at(one.seconds), text: EVENTS[one.kind] ?? 'intervention' }));
  }

  drawMarks(u) {
    const { ctx, bbox } = u;
    ctx.save();
    ctx.beginPath();
    ctx.rect(bbox.left, bbox.top, bbox.width, bbox.height);
    ctx.clip();
    ctx.font = `${11 * devicePixelRatio}px system-ui, sans-serif`;
    this.drawCone(u, ctx);
    this.drawCollections(u, ctx, bbox);
    this.drawEvents(u, ctx, bbox);
    this.drawLimits(u, ctx, bbox);
    ctx.restore();
  }

  drawCone(u, ctx) {
    const cone = slopes(this.forecast, this.bySteps), grows = this.grows;
    if (!cone || grows.length === 0) return;
    const x0 = this.xs[this.xs.length - 1], y0 = grows[grows.length - 1], x1 = u.scales.x.max;
    const at = (x, y) => [u.valToPos(x, 'x', true), u.valToPos(y, 'y', true)];
    ctx.beginPath();
    ctx.moveTo(...at(x0, y0));
    ctx.lineTo(...at(x1, y0 + cone[1] * (x1 - x0)));
    ctx.lineTo(...at(x1, y0 + cone[0] * (x1 - x0)));
    ctx.closePath();
    ctx.fillStyle = color('--cone');
    ctx.fill();
    ctx.beginPath();
    ctx.moveTo(...at(x0, y0));
    ctx.lineTo(...at(x1, y0 + (cone[0] + cone[1]) / 2 * (x1 - x0)));
    ctx.strokeStyle = color('--bad');
    ctx.lineWidth = 1.5 * devicePixelRatio;
    ctx.setLineDash([5 * devicePixelRatio, 4 * devicePixelRatio]);
    ctx.stroke();
    ctx.setLineDash([]);
    const [x, y] = at(x0, y0);
    ctx.fillStyle = color('--faint');
    ctx.textAlign = 'left';
    ctx.fillText('forecast', x + 8 * devicePixelRatio, y + 22 * devicePixelRatio);
  }

  drawCollections(u, ctx, bbox) {
    ctx.fillStyle = color('--curve-5');
    for (const x of fullCollections(this.timeline, this.xs)) {
      const at = u.valToPos(x, 'x', true), size = 3 * devicePixelRatio;
      ctx.beginPath();
      ctx.moveTo(at - size, bbox.top + bbox.height);
      ctx.lineTo(at + size, bbox.top + bbox.height);
      ctx.lineTo(at, bbox.top + bbox.height - 2 * size);
      ctx.fill();
    }
  }

  drawEvents(u, ctx, bbox) {
    const words = [];
    let free = -Infinity;
    ctx.strokeStyle = ctx.fillStyle = color('--faint');
    ctx.lineWidth = devicePixelRatio;
    ctx.setLineDash([4 * devicePixelRatio, 3 * devicePixelRatio]);
    for (const event of this.interventions()) {
      const x = u.valToPos(event.x, 'x', true);
      ctx.beginPath();
      ctx.moveTo(x, bbox.top);
      ctx.lineTo(x, bbox.top + bbox.height);
      ctx.stroke();
      if (x < free) continue;
      // At the right edge the text is to the left of the line.
      const room = x + 8 * devicePixelRatio + ctx.measureText(event.text).width <= bbox.left + bbox.width;
      ctx.textAlign = room ? 'left' : 'right';
      words.push([event.text, x + (room ? 4 : -4) * devicePixelRatio, ctx.textAlign]);
      free = x + 70 * devicePixelRatio;
    }
    ctx.setLineDash([]);
    ctx.lineWidth = 4 * devicePixelRatio;
    ctx.strokeStyle = color('--card'); // no line goes through a word
    for (const [text, x, align] of words) {
      ctx.textAlign = align;
      ctx.strokeText(text, x, bbox.top + 12 * devicePixelRatio);
      ctx.fillText(text, x, bbox.top + 12 * devicePixelRatio);
    }
  }

  // Limits, and the size at which the nearest one is full: other programs use the machine, too.
  ceilings() {
    const forecast = this.forecast, grows = this.grows;
    const all = this.limits.map((limit) => ({ bytes: limit.bytes, text: `${limit.name}, ${sizeText(limit.bytes)}` }));
    const end = forecast ? grows[grows.length - 1] + forecast.headroom : Infinity;
    if (end < this.limit * 0.98) all.push({ bytes: end, text: `${sizeText(forecast.headroom)} are left: full here`, dashed: true });
    return all;
  }

  drawLimits(u, ctx, bbox) {
    ctx.strokeStyle = ctx.fillStyle = color('--bad');
    ctx.lineWidth = 1.5 * devicePixelRatio;
    for (const ceiling of this.ceilings()) {
      if (ceiling.bytes > u.scales.y.max) continue;
      const y = u.valToPos(ceiling.bytes, 'y', true);
      ctx.setLineDash(ceiling.dashed ? [2 * devicePixelRatio, 3 * devicePixelRatio] : []);
      ctx.beginPath();
      ctx.moveTo(bbox.left, y);
      ctx.lineTo(bbox.left + bbox.width, y);
      ctx.stroke();
      ctx.textAlign = 'left';
      ctx.fillText(ceiling.text, bbox.left + 80 * devicePixelRatio, ceiling.dashed ? y + 13 * devicePixelRatio : y - 5 * devicePixelRatio);
    }
    ctx.setLineDash([]);
  }

  options(ranges) {
    const axis = { stroke: color('--faint'), grid: { stroke: color('--grid'), width: 1 }, ticks: { stroke: color('--grid'), width: 1 },
      font: '12px system-ui, sans-serif' };
    return {
      width: this.box.clientWidth, height: this.height,
      scales: { x: { time: false, range: (u, low, high) => this.zoomed ? [low, high] : ranges.x },
        y: { range: () => ranges.y } },
      axes: [{ ...axis, incrs: this.bySteps ? STEPS_APART : APART, values: (u, splits) => splits.map(this.bySteps ? countText : timeText(splits)) },
        { ...axis, size: 72, values: (u, splits) => splits.map(sizeText),
          splits: (u, i, low, high) => byteSplits(high) }],
      series: [{ label: this.bySteps ? capital(tick(this.process)) : 'Time', value: (u, x) => x == null ? '' : this.bySteps ? countText(x)
        : `${secondsText(x)}, ${tick(this.process)} ${countText(this.timeline.tick[this.xs.indexOf(x)] ?? 0)}` },
      ...this.curves.map((curve) => ({ label: curve.label, stroke: color(curve.color), width: curve.width ?? 1.25, dash: curve.dash,
        fill: curve.fill ? color(curve.color) + curve.fill : undefined, points: { show: false }, value: (u, y) => y == null ? '' : sizeText(y) }))],
      hooks: { ready: [(u) => u.setLegend({ idx: this.xs.length - 1 })], draw: [(u) => this.drawMarks(u)], setSelect: [() => { this.zoomed = true; }] },
      cursor: { drag: { x: true, y: false }, sync: { key: 'time of ' + this.process.pid, scales: ['x', null] } },
    };
  }

  draw() {
    this.xs = this.bySteps ? this.timeline.tick : this.timeline.seconds;
    const ranges = this.ranges();
    this.zoomed = false;
    this.plot?.destroy();
    this.box.replaceChildren();
    this.plot = new uPlot(this.options(ranges), [this.xs, ...this.curves.map((curve) => curve.values)], this.box);
    this.plot.over.addEventListener('mouseleave', () => this.plot.setLegend({ idx: this.xs.length - 1 }));
    this.plot.over.addEventListener('dblclick', () => this.charts.forEach((chart) => chart.draw()));
  }

  resize() {
    if (this.plot && this.box.clientWidth > 0) this.plot.setSize({ width: this.box.clientWidth, height: this.height });
  }

  // Zoom with the keyboard: + and - at the middle, arrows to move, 0 for all.
  key(event) {
    const { min, max } = this.plot.scales.x, half = (max - min) / 2, middle = (min + max) / 2;
    const moves = { '+': [middle - half / 2, middle + half / 2], '-': [middle - half * 2, middle + half * 2],
      ArrowLeft: [min - half / 4, max - half / 4], ArrowRight: [min + half / 4, max + half / 4] };
    if (event.key === '0' || event.key === 'Escape') this.charts.forEach((chart) => chart.draw());
    else if (moves[event.key]) {
      this.charts.forEach((chart) => chart.zoom(...moves[event.key]));
      event.preventDefault();
    }
  }

  zoom(min, max) {
    this.zoomed = true;
    this.plot?.setScale('x', { min, max });
  }
}

// Times at equal distances, in one unit, with as many digits as needed to distinguish them.
function timeText(splits) {
  const apart = splits.length > 1 ? splits[1] - splits[0] : 1, last = splits[splits.length - 1];
  const [size, unit] = TIME_UNITS.find(([one]) => last >= 2 * one && apart >= one / 2) ?? TIME_UNITS[3];
  const digits = [0, 1, 2, 3].find((one) => Math.abs(apart / size - Number((apart / size).toFixed(one))) < apart / size / 1000) ?? 3;
  return (seconds) => (seconds / size).toFixed(digits) + ' ' + unit;
}

function capital(text) {
  return text[0].toUpperCase() + text.slice(1);
}

// Round numbers of KB, MB or GB, about six of them.
function byteSplits(high) {
  let step = 1;
  while (high / step > 6) step *= 2;
  const splits = [];
  for (let at = 0; at <= high; at += step) splits.push(at);
  return splits;
}

function table(timeline, curves, unit) {
  const every = Math.max(1, Math.ceil(timeline.seconds.length / 40));
  const rows = timeline.seconds.map((_, i) => i).filter((i) => i % every === 0 || i === timeline.seconds.length - 1);
  return h('details', {}, h('summary', {}, 'As a table'), h('table', {},
    h('thead', {}, h('tr', {}, ['Time', capital(unit), ...curves.map((curve) => curve.label)].map((name) => h('th', { scope: 'col' }, name)))),
    h('tbody', {}, rows.map((i) => h('tr', {}, h('th', { scope: 'row' }, secondsText(timeline.seconds[i])),
      h('td', {}, countText(timeline.tick[i])), curves.map((curve) => h('td', {}, sizeText(curve.values[i]))))))));
}

function legend(timeline, xs) {
  const words = [];
  if (timeline.interventions.length > 0) words.push('Dashed lines: trims and collections that tare requested.');
  if (fullCollections(timeline, xs).length > 0) words.push('Triangles: full garbage collections.');
  return words.join(' ');
}

const DEVICE_WORDS = 'In use: what the program has. Taken: what the device’s driver has given to it, with what a framework’s pool keeps for later.';

// The element of a chart; the chart itself is added to `charts`.
function picture(line, process, track, charts, signal) {
  const box = h('div', { class: track.events ? 'chart' : 'chart low', tabindex: '0', role: 'img', 'data-pid': process.pid,
    'aria-label': `${track.name} over time; plus and minus zoom, arrows move, 0 shows all. The table below has the numbers.` });
  const chart = new Chart(line, process, track, charts, box, signal);
  charts.push(chart);
  box.addEventListener('keydown', (event) => chart.key(event));
  return box;
}

function limitBox(chart) {
  return Number.isFinite(chart.limit) ? h('label', { class: 'check' }, h('input', { type: 'checkbox',
    onchange: (event) => { chart.toLimit = event.target.checked; chart.draw(); } }),
  `show the limit (${sizeText(chart.limit)})`) : null;
}

export function timeline(data, process, signal) {
  const line = data.timelines.find((one) => one.pid === process.pid && one.generation === process.generation);
  if (!line || line.seconds.length < 2) return [h('p', { class: 'faint' }, 'This process was too short to draw.')];
  const limits = data.run ? data.run.limits.filter((limit) => limit.bytes > 0) : [];
  const tracks = [hostTrack(line, process, limits), deviceTrack(line, process, limits)].filter(Boolean);
  const charts = [], pictures = tracks.map((track) => picture(line, process, track, charts, signal));
  requestAnimationFrame(() => { if (!signal.aborted) charts.forEach((chart) => chart.draw()); });
  const curves = tracks.flatMap((track) => track.curves.map((curve) => track.events ? curve : { ...curve, label: `Devices: ${curve.label}` }));
  return [h('div', { class: 'controls' },
    chooser('Horizontal axis', [['time', 'Time'], ['steps', capital(ticks(process))]], 'time',
      (value) => charts.forEach((chart) => { chart.bySteps = value === 'steps'; chart.draw(); })),
    limitBox(charts[0]), h('span', { class: 'faint hint' }, 'Drag to zoom, double-click for all.')),
  pictures[0], h('p', { class: 'faint' }, legend(line, line.seconds)),
  charts.length > 1 ? [h('h3', {}, tracks[1].name), limitBox(charts[1]), pictures[1], h('p', { class: 'faint' }, DEVICE_WORDS)] : null,
  table(line, curves, tick(process))];
}
