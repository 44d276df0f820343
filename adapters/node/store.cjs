// Finds the statement that stores what is held, and the one that makes it. Runs outside the program, with the path
// to the container and the functions that make what it holds. Questions come on standard input; answers go to
// standard output as lines of "name value", with an empty line after each answer.
//
// The source is not parsed. Comments and the contents of strings are blanked, then the forms in which JavaScript
// stores into such a container are searched for. If more than one line is possible there is no answer: no line is
// better than a wrong one.
'use strict';

const LARGEST = 4 << 20; // characters of a file

// ---- the source ----

// The same text, with blanks for everything that is not code. Lines and positions stay.
function blank(source) {
  const out = source.split('');
  const templates = []; // depth of braces at each `${`
  let depth = 0;
  let last = ''; // the last character of code: where a value is expected, a slash begins an expression
  const wipe = (from, to) => { for (let i = from; i < to; i++) if (out[i] !== '\n') out[i] = ' '; };
  const endOf = (at, quote) => {
    let i = at;
    while (i < source.length && source[i] !== quote) {
      if (source[i] === '\\') i++;
      else if (quote === '`' && source[i] === '$' && source[i + 1] === '{') break;
      else if (quote !== '`' && source[i] === '\n') break;
      i++;
    }
    return Math.min(i, source.length);
  };
  for (let i = 0; i < source.length; i++) {
    const c = source[i];
    const next = source[i + 1];
    if (c === '/' && (next === '/' || next === '*')) {
      const end = next === '/' ? source.indexOf('\n', i) : source.indexOf('*/', i + 2) + 2;
      const to = end < i + 2 ? source.length : end;
      wipe(i, to);
      i = to - 1;
    } else if (c === '"' || c === "'" || c === '`' || (c === '}' && templates.at(-1) === depth)) {
      const quote = c === '}' ? '`' : c;
      if (c === '}') templates.pop();
      const end = endOf(i + 1, quote);
      wipe(i + 1, end);
      i = end;
      if (source[end] === '$') {
        templates.push(depth);
        i = end + 1;
        last = '{';
        continue;
      }
      last = '"';
    } else if (c === '/' && (last === '' || '([{,;=:?!&|+-*%<>~^'.includes(last))) {
      let end = i + 1;
      let inClass = false;
      while (end < source.length && source[end] !== '\n' && (inClass || source[end] !== '/')) {
        if (source[end] === '\\') end++;
        else if (source[end] === '[') inClass = true;
        else if (source[end] === ']') inClass = false;
        end++;
      }
      wipe(i + 1, end);
      i = end;
      last = '"';
    } else {
      if (c === '{') depth++;
      if (c === '}') depth--;
      if (c.trim()) last = c;
    }
  }
  return out.join('');
}

const files = new Map();

function add(path, source) {
  const file = { path, source, code: blank(source), starts: [0] };
  for (let i = 0; i < source.length; i++) if (source[i] === '\n') file.starts.push(i + 1);
  files.set(path, file);
}

// The doctor sends the texts, because it knows which files the run recorded: no file is opened here.
function open(path) {
  return files.get(path) ?? null;
}

function lineAt(file, at) {
  let low = 0;
  let high = file.starts.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (file.starts[middle] <= at) low = middle;
    else high = middle - 1;
  }
  return low + 1;
}

const LONG = 500; // characters: a longer line was generated

function isLong(file, line) {
  return (file.starts[line] ?? file.source.length) - file.starts[line - 1] > LONG;
}

// The position after the bracket that closes the one at `at`.
function close(code, at) {
  let depth = 0;
  for (let i = at; i < code.length; i++) {
    if ('([{'.includes(code[i])) depth++;
    else if (')]}'.includes(code[i]) && --depth === 0) return i + 1;
  }
  return code.length;
}

// Where a function begins and ends, from the line on which it begins, and where its first statement may be. A
// module is its whole file.
function bodyOf(file, frame) {
  const from = file.starts[frame.line - 1];
  if (from === undefined || isLong(file, frame.line)) return null;
  if (!frame.function && frame.line === 1) return [0, file.code.length, 0];
  const named = frame.function ? file.code.indexOf(frame.function.split('.').pop(), from) : -1;
  let at = named >= 0 && lineAt(file, named) === frame.line ? named : from;
  const parameters = file.code.slice(at).search(/\(|=>/);
  if (parameters < 0) return null;
  at += parameters;
  at = file.code[at] === '(' ? close(file.code, at) : at;
  const body = /^\s*(=>)?\s*(\{)?/.exec(file.code.slice(at, at + 200));
  const inner = at + body[0].length;
  if (body[2]) return [from, close(file.code, inner - 1), inner];
  const end = file.code.indexOf('\n', at);
  return body[1] ? [from, end < 0 ? file.code.length : end, inner] : null;
}

// The text before the brace that opens a function's body, with the function's name.
const HEADERS = [
  /(?<![\w$.])function\s*\*?\s*([\w$]+)\s*\([^{}]*\)\s*$/,
  /([\w$#]+)\s*[=:]\s*(?:async\s+)?function\s*\*?\s*\([^{}]*\)\s*$/,
  /([\w$#]+)\s*[=:]\s*(?:async\s*)?(?:\([^{}]*\)|[\w$]+)\s*=>\s*$/,
  /()(?:(?<![\w$.])function\s*\*?\s*\([^{}]*\)|=>)\s*$/, // no name
  /(?<![\w$.])(?!(?:if|for|while|switch|catch|with|function)(?![\w$]))([\w$#]+)\s*\([^(){}]*(?:\([^(){}]*\)[^(){}]*)*\)\s*$/,
];
const BEFORE = 300; // characters: no header is longer

// The name of the function around a statement, as V8 would give it.
function functionAt(file, at) {
  let depth = 0;
  for (let i = at - 1; i >= 0; i--) {
    if (file.code[i] === '}') depth++;
    if (file.code[i] !== '{' || depth-- > 0) continue;
    depth = 0;
    const before = file.code.slice(Math.max(0, i - BEFORE), i);
    const found = HEADERS.map((header) => header.exec(before)).find(Boolean);
    if (found) return found[1] || '(anonymous)';
  }
  return '(anonymous)';
}

// ---- the container ----

const escaped = (name) => name.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');

// How the program writes the container: the variable itself, or anything with its last property.
function expressionOf(question) {
  const path = question.path;
  const names = [];
  for (let i = 1; i <= question.growing; i++) {
    if (path[i].kind === 'attribute' || path[i].kind === 'closure') names.push(path[i].name);
    else if (path[i].kind !== 'part') return null;
  }
  if (names.length === 0 || names.some((name) => !/^[#\w$]+$/.test(name))) return null;
  if (names.length > 1) return `[\\w$)\\]]\\s*\\??\\.\\s*${escaped(names.at(-1))}(?![\\w$])`;
  const before = path[0].name === 'global' ? '(?:(?:globalThis|global)\\s*\\.\\s*)?' : '';
  return `(?<![\\w$.])${before}${escaped(names[0])}(?![\\w$])`;
}

const METHODS = { Map: 'set', Set: 'add', Array: 'push|unshift|splice', Promise: 'then|catch|finally' };
const LISTEN = 'on|once|addListener|prependListener|prependOnceListener|addEventListener';
// The initial value of a container is not a store into it.
const FRESH = '(?!\\s*(?:\\{\\s*\\}|\\[\\s*\\]|null\\b|undefined\\b|new\\s+[\\w$.]+\\s*(?:\\(\\s*\\))?\\s*;|Object\\.create\\())';
const INDEX = '\\s*\\[[^\\n]*?\\]\\s*(?:\\?\\?|\\|\\|)?=(?![=>])';

// [pattern, operation] of the forms that store into it.
function formsOf(question, expression) {
  const type = question.path[question.growing].type;
  if (question.event) return [[`${expression}\\s*\\.\\s*(${LISTEN})\\s*\\(`, 'on']];
  if (question.stream) return [[`${expression}\\s*\\??\\.\\s*(write|end|push|unshift)\\s*\\(`, 'call']];
  if (METHODS[type]) {
    const forms = [[`${expression}\\s*\\??\\.\\s*(${METHODS[type]})\\s*\\(`, 'call']];
    if (type === 'Array') forms.push([expression + INDEX, 'item']);
    if (type === 'Array') forms.push([`${expression}\\s*=\\s*(?:\\[\\s*\\.\\.\\.|[^\\n]*\\.concat\\()`, 'variable']);
    return forms;
  }
  return [[expression + INDEX, 'item'], [`Object\\.assign\\(\\s*${expression}`, 'call'],
    [`(?<!(?:const|let|var)\\s+)${expression}\\s*=(?![=>])${FRESH}`, 'variable'],
    [`${expression}\\s*\\.\\s*[\\w$]+\\s*=(?![=>])${FRESH}`, 'attribute']];
}

const ANY = ' '; // an event whose name the heap does not show

function isEvent(file, at, event) {
  const quoted = /^\s*(['"`])(.*?)\1/.exec(file.source.slice(at, at + 200));
  return !quoted || event === ANY || quoted[2] === event;
}

function candidatesIn(file, forms, event) {
  const found = [];
  for (const [pattern, operation] of forms) {
    for (const match of file.code.matchAll(new RegExp(pattern, 'g'))) {
      const at = match.index;
      if (event && !isEvent(file, at + match[0].length, event)) continue;
      found.push({ file, at, line: lineAt(file, at + match[0].search(/\S/)), operation: operation === 'call' && match[1] ? match[1] : operation, text: match[0] });
    }
  }
  return found;
}

// ---- the choice ----

// A minified script is one line: there each position stands for a line.
const linesOf = (list) => new Set(list.map((one) => (isLong(one.file, one.line)
  ? `${one.file.path}@${one.at}` : `${one.file.path}:${one.line}`))).size;

// In the innermost function that makes it; else, for a closure, where the closure is written; else the only one.
function choose(question, found) {
  for (const frame of question.stack) {
    const file = open(frame.file);
    const body = file && bodyOf(file, frame);
    const inside = body ? found.filter((one) => one.file === file && one.at >= body[0] && one.at < body[1]) : [];
    if (inside.length > 0) {
      const near = atClosure(question, inside);
      const chosen = linesOf(inside) === 1 ? inside[0] : near;
      return chosen && { ...chosen, function: frame.function };
    }
  }
  return atClosure(question, found) || (linesOf(found) === 1 ? found[0] : null);
}

function atClosure(question, found) {
  const closure = question.path.slice(question.growing + 1).find((step) => step.kind === 'part' && step.line > 0);
  const near = closure ? found.filter((one) => one.file.path === closure.file && one.line <= closure.line && one.line >= closure.line - 1) : [];
  return linesOf(near) === 1 ? near[0] : null;
}

// A store that is also read by key is used as a cache.
function isRead(question, expression) {
  const type = question.path[question.growing].type;
  const pattern = type === 'Map' || type === 'Set' ? `${expression}\\s*\\??\\.\\s*(?:get|has)\\s*\\(`
    : type === 'Array' || type === 'Promise' || question.event || question.stream ? null
    : `(?:${expression}\\s*\\[[^\\n\\]]*\\](?!\\s*(?:=(?![=>])|\\?\\?=|\\|\\|=))|(?<![\\w$])in\\s+${expression})`;
  return pattern !== null && sourcesOf(question).some((file) => new RegExp(pattern).test(file.code));
}

function sourcesOf(question) {
  const paths = [question.path[0].file, ...question.stack.map((frame) => frame.file),
    ...question.path.map((step) => step.file)];
  return [...new Set(paths.filter(Boolean))].map(open).filter(Boolean);
}

function prepare(question) {
  const listeners = question.path.findIndex((step) => /^('.*' )?listeners$/.test(step.name));
  if (listeners > 0) {
    question.event = question.path[listeners].name.slice(1, -11) || ANY;
    question.growing = listeners;
  }
  // What was written to a stream and not read yet.
  const state = question.path.findIndex((step) => /^_(writable|readable)State$/.test(step.name));
  if (state > 1 && state <= question.growing) {
    question.stream = true;
    question.growing = state - 1;
  }
  question.timer = question.path[0].name === 'timers that are waiting';
  question.native = question.path[0].name === 'references of native code';
}

const TIMERS = '(?<![\\w$])(setInterval|setTimeout|setImmediate)\\s*\\(';
const METHOD = '(?<![\\w$.])[\\w$]+(?:\\s*\\.\\s*[\\w$]+)+\\s*\\(';

function storeOf(question) {
  if (question.path.length === 0) return null;
  prepare(question);
  const called = question.timer || question.native;
  if (!called && !(question.growing > 0 && question.growing < question.path.length)) return null;
  const expression = called ? null : expressionOf(question);
  if (!called && !expression) return null;
  const forms = called ? [[question.timer ? TIMERS : METHOD, 'call']] : formsOf(question, expression);
  const found = sourcesOf(question).flatMap((file) => candidatesIn(file, forms, question.event));
  // What native code holds was given to it where the function is written.
  const chosen = question.native ? atClosure({ ...question, growing: 0 }, found) : choose(question, found);
  return chosen && { ...chosen, expression, called };
}

const columnOf = (one) => one.at + one.text.search(/\S/) - one.file.starts[one.line - 1] + 1;

function reportStore(question, store) {
  const container = store.called ? '' : /^[#\w$.\s?]*[#\w$]/.exec(store.text.trim())?.[0] || '';
  const lines = [`file ${store.file.path}`, `line ${store.line}`, `column ${columnOf(store)}`,
    `operation ${store.operation}`, `container ${nameOf(question, store, container)}`,
    `function ${store.function || functionAt(store.file, store.at)}`];
  if (store.expression && isRead(question, store.expression)) lines.push('reads 1');
  return [...lines, ...changeOf(question, store)];
}

// ---- where a line could be added ----

const KEYED = ['Map', 'Set', 'Array'];

// The lines of the statement that stores, if it has them for itself and another can stand beside it; else null.
function linesAround(file, at, name) {
  const { code } = file;
  let from = at;
  while (from > 0 && /[\w$.?#\s]/.test(code[from - 1]) && code.slice(from - 1, at).trim().length < name.length + 8
    && !/\n/.test(code[from - 1])) from--;
  const begin = from + code.slice(from).search(/\S/);
  const open = Math.min(...['(', '='].map((c) => code.indexOf(c, begin)).filter((i) => i >= 0));
  if (!Number.isFinite(open) || !/[{};]\s*$|^\s*$/.test(code.slice(0, begin))) return null;
  let end = open;
  for (let depth = 0; end < code.length; end++) {
    if ('([{'.includes(code[end])) depth++;
    else if (')]}'.includes(code[end]) && --depth < 0) return null;
    else if (code[end] === ';' && depth === 0) break;
    else if (code[end] === '\n' && depth === 0) return null;
  }
  const rest = code.slice(end + 1, (code.indexOf('\n', end) + code.length + 1) % (code.length + 1) || code.length);
  const first = lineAt(file, begin);
  if (rest.trim() || code.slice(file.starts[first - 1], begin).trim()) return null;
  return [first, lineAt(file, end), /^return(?![\w$])/.test(code.slice(begin)) ? 'before' : 'after'];
}

// What the doctor fills its changes in with.
function changeOf(question, store) {
  if (store.called || !store.expression || isLong(store.file, store.line)) return [];
  const { type } = question.path[question.growing];
  const name = nameOf(question, store, /^[#\w$.\s?]*[#\w$]/.exec(store.text.trim())?.[0] || '');
  const place = linesAround(store.file, store.at + store.text.search(/\S/), name);
  const counted = new RegExp(`${store.expression}\\s*\\[\\s*(?!\\d+\\s*\\])`);
  const lines = [`type ${KEYED.includes(type) ? type : 'Object'}`];
  if (sourcesOf(question).some((file) => counted.test(file.code))) lines.push('indexed 1');
  return place && !question.event && !question.stream ? [...lines, `follow ${place.join(' ')}`] : lines;
}

// ---- the line that makes it ----

// The forms in which JavaScript makes something: objects, arrays, closures, and methods that give new ones.
const VALUE = '(?:[=(,:[?&|]|(?<![\\w$])return|\\.\\.\\.)\\s*';
const MAKES = `(?<![\\w$.])new\\s+[\\w$.]+|${VALUE}[{[]|=>|(?<![\\w$.])function(?![\\w$])|\\$\\{|`
  + '\\b(?:Array|structuredClone|JSON\\.parse|Object\\.\\w+)\\s*\\(|'
  + '\\.\\s*(?:from|of|map|filter|flatMap|slice|concat|fill|split|repeat|padEnd|padStart|join|toString)\\s*\\(';

// The engine knows of an object which function has made it. The only line of that one that makes something is
// meant; else the one that stores it, if it is there. A function in which nothing is made has had another compiled
// into it: then the one that stores it, if that makes something.
function makerOf(question, store) {
  const frame = question.stack[0];
  const file = frame && open(frame.file);
  const body = file && bodyOf(file, frame);
  if (!body) return null;
  const makes = candidatesIn(file, [[MAKES, 'make']]).filter((one) => !isLong(file, one.line));
  const within = (one) => one.at >= body[2] && one.at < body[1];
  const own = makes.filter(within);
  if (own.length > 0 && linesOf(own) === 1) return { ...own[0], function: frame.function };
  if (!store || store.file !== file || isLong(file, store.line)) return null;
  if (within(store)) return { ...store, function: frame.function };
  return own.length === 0 && makes.some((one) => one.line === store.line)
    ? { ...store, function: functionAt(file, store.at) } : null;
}

function answer(question) {
  const store = storeOf(question);
  const maker = question.heap ? makerOf(question, store) : null;
  const lines = store ? reportStore(question, store) : [];
  if (maker) lines.push(`made ${maker.line} ${columnOf(maker)} ${maker.function}`);
  return lines.map((line) => line + '\n').join('');
}

// As the source writes it: the whole of a.b.c, where the pattern has found .c alone.
function nameOf(question, chosen, container) {
  if (question.timer) return chosen.operation;
  if (question.native) return chosen.text.replace(/\s*\($/, '');
  const before = /[\w$.?#]*$/.exec(chosen.file.code.slice(Math.max(0, chosen.at - 80), chosen.at))[0];
  return (before + container).replace(new RegExp(`\\s*\\??\\.\\s*(?:${LISTEN}|set|add|push|unshift|splice|write|end)$`), '');
}

let text = '';
process.stdin.setEncoding('utf8').on('data', (more) => { text += more; }).on('end', () => {
  const { questions, texts = [] } = JSON.parse(text);
  for (const { file, text: run } of texts) if (run.length <= LARGEST) add(file, run);
  const answers = questions.map((question) => answer(question) + '\n');
  process.stdout.write(answers.join(''));
});
