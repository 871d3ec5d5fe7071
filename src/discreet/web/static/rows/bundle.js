/** Reads the columns of a protected copy from the bytes in which they come. */

const MAGIC = "dscr";
const KINDS = {
  f8: Float64Array,
  i4: Int32Array,
  i2: Int16Array,
  i1: Int8Array,
  u2: Uint16Array,
  u1: Uint8Array,
};
const MISSING = { i4: -(2 ** 31), i2: -(2 ** 15), i1: -(2 ** 7), u2: 65535, u1: 255 };

/**
 * Read a bundle.
 * @param {ArrayBuffer} bytes - As the server or a file holds them.
 * @returns {{size: number, version: string, columns: Map<string, Column>}} A column of numbers has
 *   `values` (a gap is NaN) and `dates` (days since 1970-01-01); one of levels has `codes`,
 *   `levels`, `missing`, the code of a gap, and `coded` where they are stored as numbers.
 */
export function readBundle(bytes) {
  const start = new Uint8Array(bytes, 0, 4);
  if (String.fromCharCode(...start) !== MAGIC) throw new Error("these are no rows of a copy");
  const length = new DataView(bytes).getUint32(4, true);
  const head = JSON.parse(new TextDecoder().decode(new Uint8Array(bytes, 8, length)));
  const columns = new Map();
  for (const each of head.columns) {
    const held = new KINDS[each.type](bytes, 8 + length + each.at, head.rows);
    columns.set(each.name, each.kind === "level" ? levels(each, held) : numbers(each, held));
  }
  return { size: head.rows, version: head.version, columns };
}

function levels(each, codes) {
  const missing = MISSING[each.type];
  const { name, levels: words, coded = false } = each;
  return { name, kind: "level", codes, levels: words, missing, coded };
}

function numbers(each, held) {
  const values = each.type === "f8" ? held : new Float64Array(held.length);
  if (each.type !== "f8") {
    const gap = MISSING[each.type];
    for (let i = 0; i < held.length; i += 1) values[i] = held[i] === gap ? NaN : held[i] / each.per;
  }
  return { name: each.name, kind: "number", values, dates: each.dates === true };
}
