// dom.js - elements made from names and texts. Nothing here, or anywhere in the page, makes markup
// from a text: names in a report may hold anything.

const SVG = 'http://www.w3.org/2000/svg';
const TEXT_MOST = 2000;
// Controls, zero widths and marks that change the direction of writing.
const HOSTILE = /[\u0000-\u001f\u007f-\u009f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]/g;

function escape(character) {
  return '\\u{' + character.codePointAt(0).toString(16) + '}';
}

// A text as it may be shown: every character visible, and not too many of them.
export function clean(text, most = TEXT_MOST) {
  const all = String(text ?? '');
  const cut = all.length > most ? all.slice(0, most) + '…' : all;
  return cut.replace(HOSTILE, escape);
}

// The one door for a text into an element that is there already.
export function say(element, text) {
  element.textContent = clean(text);
}

function fill(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith('on')) element.addEventListener(name.slice(2), value);
    else if (value === true) element.setAttribute(name, '');
    else if (value !== false && value !== null && value !== undefined) element.setAttribute(name, clean(value));
  }
  for (const child of children.flat(Infinity)) {
    if (child === null || child === undefined || child === false) continue;
    element.append(child instanceof Node ? child : document.createTextNode(clean(child)));
  }
  return element;
}

export function h(tag, attributes = {}, ...children) {
  return fill(document.createElement(tag), attributes, children);
}

export function svg(tag, attributes = {}, ...children) {
  return fill(document.createElementNS(SVG, tag), attributes, children);
}

// A group of radio buttons that looks like one switch; calls back with the value chosen.
export function chooser(label, options, chosen, call) {
  const name = 'choice-' + label.replace(/\W+/g, '-').toLowerCase();
  return h('fieldset', { class: 'chooser' }, h('legend', { class: 'hidden' }, label),
    options.map(([value, text]) => h('label', {},
      h('input', { type: 'radio', name, value, checked: value === chosen, onchange: () => call(value) }),
      h('span', {}, text))));
}

// Calls back when the element changes its size, until the signal says that it is gone.
export function whenResized(element, signal, call) {
  const watcher = new ResizeObserver(call);
  watcher.observe(element);
  signal.addEventListener('abort', () => watcher.disconnect());
}

// Runs `draw` when the element comes near the screen, or is about to be printed; once.
export function whenSeen(element, draw) {
  let done = false;
  const now = () => {
    if (done) return;
    done = true;
    watcher.disconnect();
    draw();
  };
  const watcher = new IntersectionObserver((entries) => {
    if (entries.some((entry) => entry.isIntersecting)) now();
  }, { rootMargin: '400px' });
  watcher.observe(element);
  window.addEventListener('beforeprint', now);
}
