// A model of ONNX in memory, written byte by byte: `layers` matrices of WIDTH x WIDTH, a Relu behind each.
// The file format is protobuf: a field is its number and wire type, then a varint or a length and bytes.
const FLOAT = 1;

function varint(value) {
  const bytes = [];
  for (; value > 127; value = Math.floor(value / 128)) bytes.push((value % 128) | 128);
  return Buffer.from([...bytes, value]);
}

const number = (field, value) => Buffer.concat([varint(field * 8), varint(value)]);

function bytes(field, ...parts) {
  const body = Buffer.concat(parts.map((part) => Buffer.from(part)));
  return Buffer.concat([varint(field * 8 + 2), varint(body.length), body]);
}

/** A float matrix of any number of rows, named for its place in the graph. */
function shaped(field, name, width) {
  const rows = bytes(1, bytes(2, 'rows'));
  const columns = bytes(1, number(1, width));
  return bytes(field, bytes(1, name), bytes(2, bytes(1, number(1, FLOAT), bytes(2, rows, columns))));
}

function node(operator, inputs, output) {
  return bytes(1, ...inputs.map((input) => bytes(1, input)), bytes(2, output), bytes(4, operator));
}

function weights(name, width) {
  const values = new Float32Array(width * width).map((_, i) => ((i % 13) - 6) / width);
  return bytes(5, number(1, width), number(1, width), number(2, FLOAT), bytes(8, name),
    bytes(9, Buffer.from(values.buffer)));
}

module.exports = function model(width, layers = 1) {
  const parts = [bytes(2, 'stack')];
  for (let i = 0; i < layers; i++) {
    const output = i === layers - 1 ? 'scores' : `hidden${i}`;
    parts.push(node('MatMul', [i ? `hidden${i - 1}` : 'features', `weights${i}`], `product${i}`));
    parts.push(node('Relu', [`product${i}`], output), weights(`weights${i}`, width));
  }
  parts.push(shaped(11, 'features', width), shaped(12, 'scores', width));
  return Buffer.concat([number(1, 8), bytes(7, ...parts), bytes(8, bytes(1, ''), number(2, 17))]);
};
