// The text of scripts that were compiled in memory, for frames whose script the probe has not seen: those named by
// heap sampling, and async functions that wait. The inspector's debugger knows all scripts; it is on only while we
// ask, and never stops anywhere.
'use strict';

const { isUsers } = require('./users.cjs');

const MOST = 64; // scripts

const asked = new Set(); // V8's numbers of scripts

// A script that ends in .js is its own source, unless the stacks of errors are mapped.
function mayBeMade(url) {
  return !/\.[cm]?js$/.test(url) || process.sourceMapsEnabled === true ||
    typeof Error.prepareStackTrace === 'function';
}

// Those of these [number, name] that were not requested before.
function news(scripts) {
  return scripts.filter(([id, name]) => isUsers(name) && mayBeMade(name) && !asked.has(id));
}

// The inspector answers at once.
function ask(session, seen) {
  session.on('Debugger.scriptParsed', seen);
  try {
    session.post('Debugger.enable');
  } finally {
    session.removeListener('Debugger.scriptParsed', seen);
  }
}

function report(probe, session, id, name) {
  session.post('Debugger.getScriptSource', { scriptId: id }, (error, answer) => {
    if (!error && answer.scriptSource) probe.script(Number(id), name, answer.scriptSource);
  });
}

// `wanted`: a Map from V8's numbers (as texts) to names; null: all scripts of the user.
function look(probe, session, wanted) {
  const made = [];
  ask(session, ({ params }) => {
    const name = wanted ? wanted.get(params.scriptId) : params.url;
    if (name === undefined || asked.size >= MOST || news([[params.scriptId, name]]).length === 0) return;
    asked.add(params.scriptId);
    if (String(params.sourceMapURL).startsWith('data:')) made.push([params.scriptId, name]);
  });
  try {
    for (const [id, name] of made) report(probe, session, id, name);
  } finally {
    session.post('Debugger.disable');
  }
}

// For these frames of the inspector, in an existing session. Returns true if it was asked.
exports.ofFrames = (probe, session, frames) => {
  const wanted = news(frames.map((frame) => [frame.scriptId, frame.url]));
  if (wanted.length === 0 || asked.size >= MOST) return false;
  look(probe, session, new Map(wanted));
  return true;
};

// For all scripts.
exports.all = (probe) => {
  try {
    const { Session } = require('inspector');
    const session = new Session();
    session.connect();
    look(probe, session, null);
    session.disconnect();
  } catch {
    // The report has the lines that were run.
  }
};
