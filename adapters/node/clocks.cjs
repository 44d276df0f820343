// The numbers of src/ledger/clocks.def that this adapter uses; a test compares the two.
'use strict';

module.exports = { MARK: 1, BACKWARD: 3, PREDICT: 6, LOADER: 7, REQUEST: 8, SCOPE: 13, READ: 15 };
