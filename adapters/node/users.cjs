// Whose a script is: the user's, a package's, or ours.
'use strict';

exports.isUsers = (url) => (url.startsWith('/') || url.startsWith('file://')) && !url.includes('/node_modules/')
  && !url.startsWith(__dirname);

// The lines of the stack that lie above us, innermost first. A program may put what it likes in their place.
exports.callers = () => {
  try {
    return String(new Error().stack).split('\n').slice(1).filter((line) => !line.includes(__dirname));
  } catch {
    return [];
  }
};

exports.isUsersLine = (line) => !line.includes('/node_modules/') && !line.includes('node:');
