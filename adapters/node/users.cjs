// Whether a script belongs to the user, to a package, or to tare.
'use strict';

exports.isUsers = (url) => (url.startsWith('/') || url.startsWith('file://')) && !url.includes('/node_modules/')
  && !url.startsWith(__dirname);

// The lines of the stack above us, innermost first. A program may have replaced them with anything.
exports.callers = () => {
  try {
    return String(new Error().stack).split('\n').slice(1).filter((line) => !line.includes(__dirname));
  } catch {
    return [];
  }
};

exports.isUsersLine = (line) => !line.includes('/node_modules/') && !line.includes('node:');
