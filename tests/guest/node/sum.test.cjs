// For jest and vitest alike: their worlds have `test` and `expect` as globals.
const { sum, later } = require('./sum.cjs');
describe('sum', () => {
  test.each([
    [1, 2, 3],
    [5, 5, 10],
  ])('%i and %i', (a, b, c) => {
    expect(sum(a, b)).toBe(c);
  });
  test('fails', () => {
    expect(sum(1, 1)).toEqual(3);
  });
  test('waits', async () => {
    await expect(later(7)).resolves.toBe(7);
  });
  test.skip('left out', () => {});
  test('buffers', () => {
    expect(Buffer.concat([Buffer.alloc(99999), Buffer.from('x')])).toHaveLength(100000);
  });
});
