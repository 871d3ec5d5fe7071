/** Numbers of tables as words: with the decimals and the rounding that the package has. */

const MOST_DECIMALS = 9;
const LARGEST = 1e12;
const GROUPED = 10000;
const EXACT = 100;
const DIGITS = 6;

/** What stands where a number is not known. */
export const UNKNOWN = "–";

/** Return a number with so many decimals, a half to the even digit; unknown ones as a dash. */
export function words(value, decimals) {
  if (value === null) return UNKNOWN;
  if (decimals === null || Math.abs(value) >= LARGEST) return general(value);
  const said = fixed(value, decimals);
  const plain = Number(said) === 0 ? said.replace("-", "") : said;
  return Math.abs(value) >= GROUPED ? grouped(plain) : plain;
}

/** @param {string|number} value - A number. @returns {string} It with its thousands set apart. */
export const grouped = (value) => String(value).replace(/^(-?)(\d+)/, (_, sign, whole) =>
  sign + whole.replace(/\B(?=(\d{3})+$)/g, ","));

function fixed(value, decimals) {
  const up = value.toFixed(decimals);
  const exact = value.toFixed(EXACT);
  const cut = exact.slice(0, exact.length - EXACT + decimals);
  const rest = exact.slice(exact.length - EXACT + decimals);
  if (!/^50*$/.test(rest)) return up;
  return Number(cut.at(-1) === "." ? cut.at(-2) : cut.at(-1)) % 2 ? up : cut.replace(/\.$/, "");
}

/** As Python's "%.6g". */
function general(value) {
  const [said, at] = value.toExponential(DIGITS - 1).split("e");
  const power = Number(at);
  const exact = Math.abs(value).toFixed(EXACT).replace(".", "").replace(/^0+/, "");
  const even = /^50*$/.test(exact.slice(DIGITS)) && exact[DIGITS - 1] % 2 === 0;
  const digits = even ? exact.slice(0, DIGITS) : said.replace(/[-.]/g, "");
  const sign = 1 / value < 0 ? "-" : ""; // of nought, too
  const plain = (by) => String(Number(`${digits}e${by - DIGITS + 1}`));
  if (power >= -4 && power < DIGITS) return sign + plain(power);
  return `${sign}${plain(0)}e${power < 0 ? "-" : "+"}${String(Math.abs(power)).padStart(2, "0")}`;
}

/**
 * Return how many decimals a mean has beside its standard deviation; null where that says none.
 * @param {number|null} sd - It has two digits, or three where its first ones are below 355.
 */
export function decimalsOf(sd) {
  if (!sd) return null;
  const power = Math.floor(Math.log10(sd));
  const digits = sd / 10 ** power < 3.55 ? 3 : 2;
  const decimals = Math.max(digits - 1 - power, 0);
  return decimals <= MOST_DECIMALS ? decimals : null;
}

/** @returns {number|null} The decimals of quartiles: of whole numbers as few as they need. */
export function decimalsOfQuartiles(values, quartiles, decimals) {
  if (decimals === null || !values.length || !values.every(Number.isInteger)) return decimals;
  const whole = quartiles.every((it) => it === null || Number.isInteger(it));
  return whole ? 0 : Math.min(decimals, 1);
}

/** @returns {string} A share in per cent. */
export function shareWords(count, of) {
  if (!of) return UNKNOWN;
  if (count > 0 && count / of < 0.0005) return "<0.1 %";
  return `${fixed((100 * count) / of, count > 0 && count < of ? 1 : 0)} %`;
}

/** @returns {string} How many rows there are, and which share of all. */
export const counted = (count, of) => `${grouped(count)} (${shareWords(count, of)})`;

/** @returns {string} How many rows have a value, and how many of all have none. */
export const countAndGaps = (known, gaps) => `${grouped(known)}, ${counted(gaps, known + gaps)}`;

/** @returns {string} A median with its quartiles. */
export function middleWords(quartiles, decimals) {
  const [low, middle, high] = quartiles.map((it) => words(it, decimals));
  if (middle === UNKNOWN) return UNKNOWN;
  return `${middle} (${low}${low.includes("-") ? " to " : "–"}${high})`;
}
