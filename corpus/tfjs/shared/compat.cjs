// Node 23 has removed what tfjs-node 4.22 still calls. Loaded before it, by --require or by hand.
const util = require('util');
if (!util.isNullOrUndefined) util.isNullOrUndefined = (value) => value === null || value === undefined;
if (!util.isArray) util.isArray = Array.isArray;
