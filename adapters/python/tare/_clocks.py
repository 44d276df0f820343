"""The numbers of src/ledger/clocks.def that this adapter uses; a test compares the two."""
MARK = 1
OPTIMIZER = 2
BACKWARD = 3
BATCH = 4
GRAPH = 5
PREDICT = 6
LOADER = 7
REQUEST = 8
MODEL = 9
EPOCH = 11
