/** What entries of the record say as a person would, and when they are of. */

const PLURAL = /s$/;
const FILE = /^(?:figure|view|table)\.(\w+)$/;
const LONGEST = 160;
const DAY = { weekday: "long", day: "numeric", month: "long" };

/** What of an entry is said where it asks for no picture. */
const SAID = {
  study: "opened the study",
  copy: "explored the protected copy",
  rows: "took the rows of the protected copy",
  outputs: "handed something in",
  custodian: "asked for what is the custodian’s",
  "log.csv": "took the record as CSV",
  "log.json": "took the record as JSON",
};

/** What was done with outputs, beside their review. */
const HANDED = {
  "question to the data": ({ says }) => `asked the data for ${says}`,
  "output handed in": ({ output }) => `handed in ${output || "an output"}`,
  "output commented": ({ output }) => `commented on ${output || "an output"}`,
  "outputs collected": ({ caller }) => `handed in what ${caller ? who(caller) : "anybody"} downloaded`,
};

/** What was done to an output that was handed in. */
export const REVIEWED = { comment: "commented on", approved: "approved", rejected: "rejected" };

const TAGS = {
  shown: "shown",
  left: "left the server",
  refused: "refused",
  unanswered: "not answered",
  other: "recorded",
};

/** @returns {string} Who asked, as a name: "token ana" is ana. */
export function who(caller) {
  return caller.replace(/^(token|oidc) /, "");
}

/** @returns {string} The beginning of a version, which has 16 hexadecimal digits. */
export function shortVersion(version) {
  return version.slice(0, 8);
}

/** @returns {string} What became of an entry, in two or three words. */
export function tagOf({ kind }) {
  return TAGS[kind];
}

/**
 * @param {Object<string, string>} kinds - What each kind of picture and table is called.
 * @returns {string} "asked for a histogram of age by sex".
 */
export function sentence(entry, kinds) {
  const request = parsed(entry.request);
  const { what } = entry;
  if (what.startsWith("token ")) return ofToken(what, request);
  if (SAID[what]) return SAID[what];
  if (HANDED[what]) return HANDED[what](request);
  if (what === "output reviewed") return `${REVIEWED[request.said] || "reviewed"} ${request.output || "an output"}`;
  const file = FILE.exec(what);
  const named = entry.of ? picture(entry.of.what, parsed(entry.of.request), kinds) : "a picture";
  if (file) return `saved ${named} as ${file[1].toUpperCase()}`;
  if (what === "again") return `looked again at ${named}`;
  return `asked for ${picture(what, request, kinds)}`;
}

/** @returns {string} What an entry is a picture of, without who asked: "Histogram of age". */
export function titleOf(entry, kinds) {
  const of = entry.of || entry;
  const said = SAID[of.what] || picture(of.what, parsed(of.request), kinds);
  const title = said.replace(/^an? /, "");
  return title.charAt(0).toUpperCase() + title.slice(1);
}

/** @returns {string} A day, "Sunday 22 November", and its year where it is another. */
export function day(at) {
  const year = at.getFullYear() === new Date().getFullYear() ? {} : { year: "numeric" };
  return at.toLocaleDateString("en-GB", { ...DAY, ...year });
}

/** @returns {string} A short day: "22 Nov", with its year where it is another. */
export function shortDay(at) {
  const year = at.getFullYear() === new Date().getFullYear() ? {} : { year: "numeric" };
  return at.toLocaleDateString("en-GB", { day: "numeric", month: "short", ...year });
}

/** @returns {string} A time of day: "17:35". */
export function clock(at) {
  return at.toLocaleTimeString("en-GB", { hour: "2-digit", minute: "2-digit" });
}

/** @returns {string} How long ago a time is, as it is said: "14 min ago". */
export function ago(text) {
  if (!text) return "never";
  const at = new Date(text);
  const minutes = Math.floor((Date.now() - at) / 60000);
  if (minutes < 2) return "now";
  if (minutes < 60) return `${minutes} min ago`;
  return at.toDateString() === new Date().toDateString() ? `today ${clock(at)}` : shortDay(at);
}

/** @returns {string} A number with its noun: "1 entry", "2 entries". */
export function counted(number, one, many = `${one}s`) {
  return `${number.toLocaleString("en-GB")} ${number === 1 ? one : many}`;
}

function picture(what, request, kinds) {
  const title = (kinds[what] || what).toLowerCase();
  const article = PLURAL.test(title) || title === "over time" ? "" : /^[aeiou]/.test(title) ? "an " : "a ";
  const columns = request.columns || (request.outcome ? [request.outcome] : []);
  const of = request.formula || listed([columns].flat());
  const by = request.by ? ` by ${listed([request.by].flat())}` : "";
  const where = request.where ? ` where ${[request.where].flat().join(" and ")}` : "";
  return shortened(`${article}${title}${of ? ` of ${of}` : ""}${by}${where}`);
}

function ofToken(what, { name = "somebody", role, days }) {
  const terms = [
    role,
    days ? `${counted(days, "day")} from then` : "",
  ].filter(Boolean);
  const verb = { "token added": "made", "token changed": "changed", "token revoked": "revoked" }[what];
  return `${verb} the token of ${name}${terms.length ? `: ${terms.join(", ")}` : ""}`;
}

function listed(names) {
  if (names.length < 2) return names.join("");
  return `${names.slice(0, -1).join(", ")} and ${names[names.length - 1]}`;
}

function shortened(text) {
  return text.length > LONGEST ? `${text.slice(0, LONGEST - 1)}…` : text;
}

function parsed(request) {
  try {
    const found = JSON.parse(request || "{}");
    return found && typeof found === "object" ? found : {};
  } catch {
    return {};
  }
}
