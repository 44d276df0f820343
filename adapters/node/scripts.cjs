// The text of scripts that were compiled in memory, for frames whose script the probe has not met: those that
// the heap's sampling names, and async functions that wait. The inspector's debugger knows all scripts; it is on
// for the moment of the question only, and never breaks anywhere.
'use strict';

const { isUsers } = require('./users.cjs');

const MOST = 64; // scripts

const asked = new Set(); // the engine's numbers of scripts

// What ends in .js is its own source, unless somebody puts other lines into the stacks of errors.
function mayBeMade(url) {
  return !/\.[cm]?js$/.test(url) || process.sourceMapsEnabled === true ||
    typeof Error.prepareStackTrace === 'function';
}

// Those of these [number, name] that nobody has asked for.
function news(scripts) {
  return scripts.filter(([id, name]) => isUsers(name) && mayBeMade(name) && !asked.has(id));
}

// Answers of the inspector come at once.
function ask(session, seen) {
  session.on('Debugger.scriptParsed', seen);
  try {
    session.post('Debugger.enable');
  } finally {
    session.removeListener('Debugger.scriptParsed', seen);
  }
}

function tell(probe, session, id, name) {
  session.post('Debugger.getScriptSource', { scriptId: id }, (error, answer) => {
    if (!error && answer.scriptSource) probe.script(Number(id), name, answer.scriptSource);
  });
}

// `wanted`: a Map of the engine's numbers, which are texts, to names; null: all of the user's.
function look(probe, session, wanted) {
  const made = [];
  ask(session, ({ params }) => {
    const name = wanted ? wanted.get(params.scriptId) : params.url;
    if (name === undefined || asked.size >= MOST || news([[params.scriptId, name]]).length === 0) return;
    asked.add(params.scriptId);
    if (String(params.sourceMapURL).startsWith('data:')) made.push([params.scriptId, name]);
  });
  try {
    for (const [id, name] of made) tell(probe, session, id, name);
  } finally {
    session.post('Debugger.disable');
  }
}

// Of these frames of the inspector, as part of a session that is there. Gives whether it was asked.
exports.ofFrames = (probe, session, frames) => {
  const wanted = news(frames.map((frame) => [frame.scriptId, frame.url]));
  if (wanted.length === 0 || asked.size >= MOST) return false;
  look(probe, session, new Map(wanted));
  return true;
};

// Of all that are there.
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
