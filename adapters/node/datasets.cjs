// Data sets of TensorFlow.js. What an iterator hands out is made in later turns, when the line that asked for
// it has left the stack, and the package's promises are such that V8 cannot tell who waits: so the asking is
// remembered, and is a step of the program.
'use strict';

const { LOADER } = require('./clocks.cjs');
const { methodOf, tickAt } = require('./replace.cjs');
const { callers, isUsersLine } = require('./users.cjs');

const met = new WeakSet(); // classes

// Who asks for an iterator: the program itself, or the package on its way to another one?
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

// As it is, but that the iterator which it promises is followed, if the program itself has asked for it.
function following(probe, method) {
  return function iterator(...given) {
    const asked = askedByUser();
    const promise = method.apply(this, given);
    return asked && promise instanceof Promise ? promise.then((found) => follow(probe, found)) : promise;
  };
}

// The class of every data set has its own method, which is assigned to its prototype.
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

// `kind` is the class that all data sets have been made from; before the first of them.
exports.meet = (probe, kind) => {
  if (met.has(kind) || typeof kind !== 'function' || !methodOf(kind.prototype, 'forEachAsync')) return;
  met.add(kind);
  for (const name of ['forEachAsync', 'toArray']) tickAt(kind.prototype, name, () => probe.launch());
  if (!('iterator' in kind.prototype)) overhear(probe, kind.prototype);
};
