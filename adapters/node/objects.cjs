// Who makes the objects of a JavaScript heap that grows: V8's own sampling, started when several full collections
// each left more than the one before; and the heap snapshot, when the doctor requests it. A healthy program never
// gets here.
'use strict';

const { isUsers } = require('./users.cjs');

const INTERVAL = 16384; // mean bytes between two samples, at least;
const SAMPLES = 250;    // so many per second take about 2% of the time
const MOST = 8;         // stacks that are reported
const FRAMES = 8;       // functions per stack
const MARKS = 3;        // times that numbering the objects is tried: it may take too long just then
const SLOW_BEFORE = 11; // the version of V8

let session = null;
let sampling = false;
let done = false;           // nothing more to find out
let since = 0;             // objects with a greater number were made after the first suspicion
let marks = 0;
let sites = new Map();     // text of a stack -> the probe's number for it

function pathOf(url) {
  return url.startsWith('file://') ? require('url').fileURLToPath(url) : url;
}

// What library functions made belongs to the innermost user function above them.
function addUp(node, stack, sums) {
  const frame = node.callFrame;
  const mine = isUsers(frame.url) ? [frame, ...stack].slice(0, FRAMES) : stack;
  if (mine.length > 0 && node.selfSize > 0) {
    const key = mine.map((f) => `${f.url}:${f.lineNumber}:${f.columnNumber}:${f.functionName}`).join('\n');
    const sum = sums.get(key) || { stack: mine, bytes: 0 };
    sum.bytes += node.selfSize;
    sums.set(key, sum);
  }
  for (const child of node.children) addUp(child, mine, sums);
}

function reportSite(probe, key, stack, bytes) {
  const frames = stack.flatMap((f) => [pathOf(f.url), f.functionName, f.lineNumber + 1,
    f.columnNumber + 1]);
  const site = probe.objects(sites.get(key) || 0, bytes, ...frames);
  if (site > 0) sites.set(key, site);
}

// The samples whose objects are alive: V8 collects before it answers, and inside the process the answer comes at
// once. This works only while the program runs, because at its end its variables are gone. Returns true if V8
// was asked for the text of scripts.
function read(probe) {
  let asked = false;
  session.post('HeapProfiler.getSamplingProfile', (error, answer) => {
    if (error) return;
    const sums = new Map();
    addUp(answer.profile.head, [], sums);
    const largest = [...sums].sort((a, b) => b[1].bytes - a[1].bytes).slice(0, MOST);
    const alive = new Map(largest);
    for (const key of sites.keys()) if (!alive.has(key)) reportSite(probe, key, [], 0);
    asked = require('./scripts.cjs').ofFrames(probe, session, largest.flatMap(([, { stack }]) => stack));
    for (const [key, { stack, bytes }] of largest) reportSite(probe, key, stack, bytes);
  });
  return asked;
}

function connect() {
  const { Session } = require('inspector');
  session = new Session();
  session.connect();
}

function begin(probe, speed) {
  if (!session) connect();
  sampling = true;
  const samplingInterval = Math.max(INTERVAL, Math.round(speed / SAMPLES));
  session.post('HeapProfiler.startSampling', { samplingInterval });
  require('v8'); // load everything we need before the heap is measured again
  require('fs');
  require('os');
  read(probe);
  reportArrays(probe);
  marks = since = 0;
  number(probe);
}

// The session stays: its part of the heap was measured, and is subtracted.
function end(probe) {
  sampling = false;
  session.post('HeapProfiler.stopSampling');
  probe.unmark();
}

// The heap has risen again, or has not for some time; so many bytes per second are made in it. Our errors end here.
// Returns 1 if V8 was asked for the text of scripts.
exports.look = (probe, rises, speed) => {
  try {
    if (done) return 0;
    if (!rises) {
      if (sampling) end(probe);
    } else if (sampling) {
      if (since === 0) number(probe);
      return Number(read(probe));
    } else {
      begin(probe, speed);
    }
  } catch {
    // The report says less.
  }
  return 0;
};

// What was sampled while the script ran without a wait, before anything collects what it held.
exports.last = (probe) => {
  try {
    if (!session) connect();
    read(probe);
  } catch {
    // The report says less.
  }
};

exports.ending = false; // the program has run its last callback

// A snapshot needs about as much memory again as the heap; without enough free memory it is not taken.
function hasRoom(used) {
  const os = require('os');
  const limit = process.constrainedMemory ? process.constrainedMemory() : 0;
  const left = limit > 0 && limit < os.totalmem() ? limit - process.memoryUsage.rss() : Infinity;
  return Math.min(os.freemem(), left) > 4 * used + 64 * 1048576;
}

// Where V8 looks up the text of each index, a long array stops it for seconds. Such arrays are "large objects".
function reportArrays(probe) {
  if (parseInt(process.versions.v8, 10) >= SLOW_BEFORE) return;
  const large = require('v8').getHeapSpaceStatistics().filter((space) => /large_object/.test(space.space_name));
  probe.longArrays(large.reduce((sum, space) => sum + space.space_used_size, 0));
}

function number(probe) {
  if (marks >= MARKS) return;
  marks += 1;
  since = probe.mark(); // V8 collects first: what is alive now and was not before is the adapter's
}

// Returns `since` if the snapshot was written to `path`, -1 if not, -2 if there is too little memory. Only its owner
// can read the file: a heap holds everything that the program knows.
exports.write = (probe, path) => {
  try {
    const v8 = require('v8');
    const fs = require('fs');
    reportArrays(probe);
    if (!hasRoom(v8.getHeapStatistics().used_heap_size)) return -2;
    if (sampling && !exports.ending) read(probe); // at the end its variables may be gone
    const file = fs.openSync(path, 'wx', 0o600); // never a file or a link that is there already
    let written = 0;
    try {
      written = probe.writeHeap(file);
    } finally {
      fs.closeSync(file);
      if (!written) fs.unlinkSync(path);
    }
    if (!written) return -1;
    done = true;
    if (sampling) end(probe);
    return since;
  } catch {
    return -1;
  }
};
