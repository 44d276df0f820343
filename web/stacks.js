// stacks.js - the texts and frames that stacks share, as objects; sums by tree and by line.

const LANGUAGES = ['native', 'python', 'javascript'];

export function readFrames(data) {
  return data.frames.map(([name, file, line, module, user, language], number) => ({ number,
    name: data.strings[name], file: data.strings[file], line, module: data.strings[module], user: user === 1,
    language: LANGUAGES[language] }));
}

export function stacksOf(data, process) {
  return data.stacks.find((one) => one.pid === process.pid && one.generation === process.generation) ??
    { samples: [], rest: { stacks: 0, values: data.values.map(() => 0) } };
}

// A tree of {name, value, frame, children}, outermost frames first; `value`: index into data.values.
export function treeOf(stacks, frames, value, rootName) {
  const root = { name: rootName, value: 0, children: new Map() };
  for (const [numbers, values] of stacks.samples) {
    const amount = values[value];
    if (amount === 0) continue;
    let node = root;
    node.value += amount;
    for (const number of numbers.length > 0 ? numbers : [-1]) {
      let child = node.children.get(number);
      if (!child) {
        const frame = frames[number];
        child = { name: frame ? frame.name : '(the stack was not recorded)', frame, value: 0, children: new Map() };
        node.children.set(number, child);
      }
      child.value += amount;
      node = child;
    }
  }
  if (stacks.rest.values[value] > 0) {
    const rest = { name: `(${stacks.rest.stacks} smaller stacks)`, value: stacks.rest.values[value], children: new Map() };
    root.value += rest.value;
    root.children.set('rest', rest);
  }
  return settle(root);
}

function settle(node) {
  node.children = [...node.children.values()].sort((a, b) => b.value - a.value);
  node.children.forEach(settle);
  return node;
}

// {file: {line: {kept, allocated, grown, peak, births}}}. A stack counts at its innermost user line, or, with
// `through`, at each of its user lines.
export function linesOf(stacks, frames, values, through) {
  const index = Object.fromEntries(values.map((value, i) => [value.name, i]));
  const files = new Map();
  const add = (frame, sample) => {
    if (!files.has(frame.file)) files.set(frame.file, new Map());
    const lines = files.get(frame.file);
    if (!lines.has(frame.line)) lines.set(frame.line, { kept: 0, allocated: 0, grown: 0, peak: 0, births: [] });
    const line = lines.get(frame.line);
    line.kept += sample[1][index.live_bytes];
    line.allocated += sample[1][index.allocated_bytes];
    line.grown += sample[1][index.growth_bytes];
    line.peak += sample[1][index.peak_bytes];
    sample[2].forEach((bytes, part) => { line.births[part] = (line.births[part] ?? 0) + bytes; });
  };
  for (const sample of stacks.samples) {
    const seen = new Set();
    for (let i = sample[0].length - 1; i >= 0; i--) {
      const frame = frames[sample[0][i]];
      const key = frame.file + '\n' + frame.line;
      if (!frame.user || !frame.file || !frame.line || seen.has(key)) continue;
      seen.add(key);
      add(frame, sample);
      if (!through) break;
    }
  }
  return files;
}
