exports.sum = (a, b) => a + b;
exports.later = (value) => new Promise((done) => setTimeout(done, 5, value));
