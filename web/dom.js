// dom.js - make elements from names and texts. No code of the page turns a text into markup, because names
// in a report may be hostile.

const SVG = 'http://www.w3.org/2000/svg';
const TEXT_MOST = 2000;
// Controls, zero widths and marks that change the direction of writing.
const HOSTILE = /[\u0000-\u001f\u007f-\u009f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]/g;

function escape(character) {
  return '\\u{' + character.codePointAt(0).toString(16) + '}';
}

// A text made harmless: every character visible, and not longer than the limit.
export function clean(text, most = TEXT_MOST) {
  const all = String(text ?? '');
  const cut = all.length > most ? all.slice(0, most) + '…' : all;
  return cut.replace(HOSTILE, escape);
}

// The only function that puts a text into an existing element.
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

// A group of radio buttons that looks like one switch. Calls back with the chosen value.
export function chooser(label, options, chosen, call) {
  const name = 'choice-' + label.replace(/\W+/g, '-').toLowerCase();
  return h('fieldset', { class: 'chooser' }, h('legend', { class: 'hidden' }, label),
    options.map(([value, text]) => h('label', {},
      h('input', { type: 'radio', name, value, checked: value === chosen, onchange: () => call(value) }),
      h('span', {}, text))));
}

// Calls back when the size of the element changes, until the signal is aborted.
export function whenResized(element, signal, call) {
  const watcher = new ResizeObserver(call);
  watcher.observe(element);
  signal.addEventListener('abort', () => watcher.disconnect());
}

// Calls `draw` once, when the element comes near the screen or the page is printed.
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
