// main.js - unpacks the data and puts the views on the page.
import { h, say, whenSeen } from './dom.js';
import { baseName } from './format.js';
import { unpack } from './inflate.js';
import { account, growing, peak } from './account.js';
import { devices } from './devices.js';
import { flame } from './flame.js';
import { measured } from './measured.js';
import { processes } from './processes.js';
import { readFrames } from './stacks.js';
import { source } from './source.js';
import { survival } from './survival.js';
import { timeline } from './timeline.js';
import { answer, elsewhere, findings } from './verdict.js';

const SECTIONS = [['findings', 'Findings'], ['timeline', 'Memory over time'], ['survival', 'Survival'],
  ['flame', 'Flame graph'], ['source', 'Source'], ['account', 'What memory is made of'], ['peak', 'Peak by line'],
  ['processes', 'Processes'], ['measured', 'How this was measured']];

class Page {
  constructor(data) {
    this.data = data;
    this.frames = readFrames(data);
    this.sections = new Map();
    this.paths = new Set(data.files.map((file) => file.path));
  }

  // The action of a click on a place: the source view shows it. null: the file is not in the page.
  link(where) {
    if (!where.line || !this.paths.has(where.file)) return null;
    return () => {
      this.sections.get('source').draw();
      this.reveal(where.file, where.line);
    };
  }

  // The lines first..last of a file, as far as they are in the page.
  lines(path, first, last) {
    const file = this.data.files.find((one) => one.path === path);
    return (file ? file.parts : []).flatMap((part) => part.lines.map((text, i) => ({ number: part.first + i, text })))
      .filter((line) => line.number >= first && line.number <= last);
  }

  // A section is filled when it is first visible, and again when another process is chosen.
  section(name, title, fill) {
    const content = h('div', { class: 'content' });
    const element = h('section', { id: name, 'aria-labelledby': name + '-title' }, h('h2', { id: name + '-title' }, title), content);
    let drawing = new AbortController();
    const entry = { drawn: false, draw: () => {
      if (entry.drawn) return;
      entry.drawn = true;
      drawing.abort(); // removes the observers of the earlier content
      drawing = new AbortController();
      content.replaceChildren(...[fill(drawing.signal)].flat(Infinity).filter(Boolean));
    } };
    this.sections.set(name, entry);
    whenSeen(element, entry.draw);
    return element;
  }

  fill(name, signal) {
    const { data, frames } = this, process = data.report.processes[this.chosen];
    const show = (where) => this.link(where);
    const fills = {
      findings: () => [findings(process, process.answer !== data.report.answer, { link: show, lines: (...span) => this.lines(...span) }),
        elsewhere(data.report.processes, this.chosen, (i) => this.choose(i))],
      timeline: () => timeline(data, process, signal),
      survival: () => survival(process),
      flame: () => flame(data, process, frames, signal),
      source: () => {
        const view = source(data, process, frames);
        this.reveal = view.show;
        return view.elements;
      },
      account: () => [account(process), devices(process, show)],
      peak: () => [peak(process, show), growing(process, show)],
      processes: () => processes(data, this.chosen, (i) => this.choose(i)),
      measured: () => measured(data, process),
    };
    return fills[name]();
  }

  choose(index) {
    this.chosen = index;
    say(this.about, this.aboutText());
    for (const entry of this.sections.values()) {
      if (!entry.drawn) continue;
      entry.drawn = false;
      entry.draw();
    }
  }

  aboutText() {
    const process = this.data.report.processes[this.chosen];
    return `Process ${process.pid}, ${baseName(process.program)}`;
  }

  build(main, nav) {
    const report = this.data.report;
    if (report.processes.length === 0) {
      main.replaceChildren(answer(report));
      return;
    }
    this.chosen = Math.max(0, report.processes.findIndex((process) => process.speaks));
    this.about = h('p', { class: 'about', role: 'status' });
    say(this.about, this.aboutText());
    main.replaceChildren(answer(report), report.processes.length > 1 ? this.about : '',
      ...SECTIONS.map(([name, title]) => this.section(name, title, (signal) => this.fill(name, signal))));
    nav.append(h('p', { class: 'brand' }, 'tare'),
      h('ul', {}, SECTIONS.map(([name, title]) => h('li', {}, h('a', { href: '#' + name }, title)))));
    for (const name of ['findings', 'timeline', 'survival']) this.sections.get(name).draw();
  }
}

async function start() {
  const main = document.getElementById('report'), nav = document.getElementById('contents');
  try {
    const data = await unpack(document.getElementById('data').textContent);
    document.title = `tare: ${data.report.verdict}`;
    new Page(data).build(main, nav);
  } catch (error) {
    main.replaceChildren(h('p', { role: 'alert' }, 'This report could not be shown: ', error.message));
    throw error;
  } finally {
    main.removeAttribute('aria-busy');
  }
}

start();
