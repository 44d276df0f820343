// inflate.js - unpack the data of the page. For browsers without a decompressor this is a small RFC 1951
// implementation.

const LENGTHS = [3, 4, 5, 6, 7, 8, 9, 10, 11, 13, 15, 17, 19, 23, 27, 31, 35, 43, 51, 59, 67, 83, 99, 115,
  131, 163, 195, 227, 258];
const LENGTH_BITS = [0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3, 4, 4, 4, 4, 5, 5, 5, 5, 0];
const DISTANCES = [1, 2, 3, 4, 5, 7, 9, 13, 17, 25, 33, 49, 65, 97, 129, 193, 257, 385, 513, 769, 1025, 1537,
  2049, 3073, 4097, 6145, 8193, 12289, 16385, 24577];
const ORDER = [16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15];

// Counts by length, and symbols in the order of their codes.
function codeOf(lengths) {
  const counts = new Uint16Array(16), offsets = new Uint16Array(16), symbols = new Uint16Array(lengths.length);
  for (const length of lengths) counts[length]++;
  counts[0] = 0;
  for (let i = 1; i < 16; i++) offsets[i] = offsets[i - 1] + counts[i - 1];
  lengths.forEach((length, symbol) => { if (length) symbols[offsets[length]++] = symbol; });
  return { counts, symbols };
}

class Inflater {
  constructor(bytes) {
    this.bytes = bytes;
    this.at = 2; // after the header of zlib
    this.held = 0;
    this.holds = 0;
    this.out = new Uint8Array(bytes.length * 6 + 1024);
    this.length = 0;
  }

  bits(count) {
    while (this.holds < count) {
      if (this.at >= this.bytes.length) throw new Error('the data ends too early');
      this.held |= this.bytes[this.at++] << this.holds;
      this.holds += 8;
    }
    const value = this.held & ((1 << count) - 1);
    this.held >>>= count;
    this.holds -= count;
    return value;
  }

  symbol({ counts, symbols }) {
    let code = 0, first = 0, index = 0;
    for (let length = 1; length < 16; length++) {
      code |= this.bits(1);
      if (code - counts[length] < first) return symbols[index + code - first];
      index += counts[length];
      first = (first + counts[length]) << 1;
      code <<= 1;
    }
    throw new Error('the data holds a code that there is none of');
  }

  room(count) {
    if (this.length + count <= this.out.length) return;
    const larger = new Uint8Array((this.out.length + count) * 2);
    larger.set(this.out);
    this.out = larger;
  }

  stored() {
    this.held = this.holds = 0;
    const size = this.bytes[this.at] | this.bytes[this.at + 1] << 8;
    this.at += 4;
    this.room(size);
    this.out.set(this.bytes.subarray(this.at, this.at + size), this.length);
    this.at += size;
    this.length += size;
  }

  tables() {
    const literals = this.bits(5) + 257, distances = this.bits(5) + 1, codes = this.bits(4) + 4;
    const lengths = new Array(19).fill(0), all = [];
    for (let i = 0; i < codes; i++) lengths[ORDER[i]] = this.bits(3);
    const code = codeOf(lengths);
    while (all.length < literals + distances) {
      const symbol = this.symbol(code);
      if (symbol < 16) all.push(symbol);
      else if (symbol === 16) for (let n = this.bits(2) + 3, last = all[all.length - 1]; n > 0; n--) all.push(last);
      else for (let n = symbol === 17 ? this.bits(3) + 3 : this.bits(7) + 11; n > 0; n--) all.push(0);
    }
    return [codeOf(all.slice(0, literals)), codeOf(all.slice(literals))];
  }

  block([literals, distances]) {
    for (let symbol = this.symbol(literals); symbol !== 256; symbol = this.symbol(literals)) {
      this.room(258);
      if (symbol < 256) {
        this.out[this.length++] = symbol;
        continue;
      }
      const length = LENGTHS[symbol - 257] + this.bits(LENGTH_BITS[symbol - 257]);
      const far = this.symbol(distances);
      const distance = DISTANCES[far] + this.bits(far < 4 ? 0 : (far >> 1) - 1);
      for (let i = 0; i < length; i++, this.length++) this.out[this.length] = this.out[this.length - distance];
    }
  }

  run() {
    const fixed = () => [codeOf([].concat(Array(144).fill(8), Array(112).fill(9), Array(24).fill(7), Array(8).fill(8))),
      codeOf(Array(30).fill(5))];
    for (let last = 0; !last;) {
      last = this.bits(1);
      const kind = this.bits(2);
      if (kind === 0) this.stored();
      else if (kind === 3) throw new Error('the data is damaged');
      else this.block(kind === 1 ? fixed() : this.tables());
    }
    return this.out.subarray(0, this.length);
  }
}

export function inflate(bytes) {
  return new Inflater(bytes).run();
}

function fromBase64(text) {
  const letters = atob(text);
  const bytes = new Uint8Array(letters.length);
  for (let i = 0; i < letters.length; i++) bytes[i] = letters.charCodeAt(i);
  return bytes;
}

export async function unpack(text) {
  const bytes = fromBase64(text.trim());
  if (typeof DecompressionStream !== 'undefined') {
    const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream('deflate'));
    return JSON.parse(await new Response(stream).text());
  }
  return JSON.parse(new TextDecoder().decode(inflate(bytes)));
}
