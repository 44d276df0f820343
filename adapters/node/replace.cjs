'use strict';

function methodOf(object, name) {
  return typeof object[name] === 'function' ? object[name] : null;
}

// Hidden from code that lists the properties of the object.
exports.replace = (object, name, value) => {
  Object.defineProperty(object, name,
    { value, configurable: true, enumerable: false, writable: true });
};

// A method is looked up once for each call: the look-up is the tick, and no frame of ours is on a stack.
function tickAt(object, name, tick, enumerable = false) {
  let method = methodOf(object, name);
  if (!method) return;
  Object.defineProperty(object, name, {
    configurable: true,
    enumerable,
    get() { tick(); return method; },
    set(value) { // on an object that inherits it: it becomes that object's own, as without us
      if (this === object) method = value;
      else Object.defineProperty(this, name, { value, configurable: true, enumerable: true, writable: true });
    },
  });
}

exports.methodOf = methodOf;
exports.tickAt = tickAt;
