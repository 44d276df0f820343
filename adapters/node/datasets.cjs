// Data sets of TensorFlow.js. What an iterator returns is made in later turns, when the line that requested it
// has left the stack, and V8 cannot see who waits for the package's promises. So the request is remembered,
// and is a step of the program.
'use strict';

const { LOADER } = require('./clocks.cjs');
const { methodOf, tickAt } = require('./replace.cjs');
const { callers, isUsersLine } = require('./users.cjs');

const met = new WeakSet(); // classes

// Who requests an iterator: the program, or the package for another iterator?
function askedByUser() {
  const [caller] = callers();
  return caller !== undefined && isUsersLine(caller);
}

function follow(probe, iterator) {
  try {
    tickAt(iterator, 'next', () => { probe.launch(); probe.tick(LOADER); });
  } catch {
    // It works without us.
  }
  return iterator;
}

// The same function, but the iterator that it promises is followed if the program itself requested it.
function following(probe, method) {
  return function iterator(...given) {
    const asked = askedByUser();
    const promise = method.apply(this, given);
    return asked && promise instanceof Promise ? promise.then((found) => follow(probe, found)) : promise;
  };
}

// Each class of data sets has its own method, assigned to its prototype.
function overhear(probe, prototype) {
  Object.defineProperty(prototype, 'iterator', {
    configurable: true,
    enumerable: false,
    get() { return undefined; },
    set(method) {
      const value = typeof method === 'function' ? following(probe, method) : method;
      Object.defineProperty(this, 'iterator', { value, configurable: true, enumerable: true, writable: true });
    },
  });
}

// `kind` is the base class of all data sets. Called before the first of them is made.
exports.meet = (probe, kind) => {
  if (met.has(kind) || typeof kind !== 'function' || !methodOf(kind.prototype, 'forEachAsync')) return;
  met.add(kind);
  for (const name of ['forEachAsync', 'toArray']) tickAt(kind.prototype, name, () => probe.launch());
  if (!('iterator' in kind.prototype)) overhear(probe, kind.prototype);
};
