// For mocha.
const assert = require('assert');
describe('order', () => {
  let seen = [];
  beforeEach(() => seen.push('before'));
  it('is right', () => assert.deepStrictEqual(seen, ['before']));
  it('is wrong', () => assert.deepStrictEqual(seen, []));
  it('comes later', (done) => setTimeout(done, 3));
  it.skip('is left out', () => {});
});
