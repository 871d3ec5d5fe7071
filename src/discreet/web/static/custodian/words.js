/** What entries of the record say as a person would, and when they are of. */

const FILE = /^(?:figure|view|table)\.(\w+)$/;
const DAY = { weekday: "long", day: "numeric", month: "long" };

/** What of an entry is said where it is of no picture. */
const SAID = {
  study: () => "opened the study",
  copy: () => "explored the protected copy on the server",
  rows: () => "took all rows of the protected copy",
  outputs: () => "wanted to hand something in",
  questions: () => "wanted to ask the data",
  custodian: () => "wanted what is the custodian’s",
  "log.csv": () => "took this record as CSV",
  "log.json": () => "took this record as JSON",
  "board kept": ({ name, state }) => `${state ? "kept" : "deleted"} the board ${name || ""}`,
  "question to the data": ({ says }) => `asked the data for ${says || "something"}`,
  "question decided": ({ said, says }) => `${said || "decided"} a question: ${says || ""}`,
  "output handed in": () => "handed something in",
  "output commented": () => "commented on an output",
  "output reviewed": ({ said }) => `${REVIEWED[said] || "reviewed"} an output`,
  "outputs collected": ({ caller }) => `handed in what ${caller ? who(caller) : "anybody"} downloaded`,
  "token added": (it) => ofLink("made", it),
  "token changed": (it) => ofLink("changed", it),
  "token revoked": (it) => ofLink("revoked", it),
};

/** What was done to an output that was handed in. */
export const REVIEWED = { comment: "commented on", approved: "approved", rejected: "rejected" };

const TAGS = { shown: "looked at", left: "taken", refused: "refused", unanswered: "not answered", other: "" };

/** @returns {string} Who asked, as a name: "token ana" is ana. */
export function who(caller) {
  return caller.replace(/^(token|oidc) /, "");
}

/** @returns {string} The beginning of a version, which has 16 hexadecimal digits. */
export function shortVersion(version) {
  return version.slice(0, 8);
}

/** @returns {string} What became of an entry, in two words at most. */
export function tagOf({ kind }) {
  return TAGS[kind];
}

/** @returns {string} "looked at: Histogram of age by sex". */
export function sentence(entry) {
  const { what, title } = entry;
  if (SAID[what]) return SAID[what](parsed(entry.request));
  const file = FILE.exec(what);
  const done = file ? `took as ${file[1].toUpperCase()}` : what === "again" ? "looked again at" : entry.kind === "refused" ? "wanted" : "looked at";
  return `${done}: ${title || "a picture"}`;
}

/** @returns {object} What was asked for, as the record has it. */
export function parsed(request) {
  try {
    const found = JSON.parse(request || "{}");
    return found && typeof found === "object" ? found : {};
  } catch {
    return {};
  }
}

/** @returns {string} A day, "Sunday 22 November", and its year where it is another. */
export function day(at) {
  return at.toLocaleDateString("en-GB", { ...DAY, ...yearOf(at) });
}

/** @returns {string} A short day: "22 Nov", with its year where it is another. */
export function shortDay(at) {
  return at.toLocaleDateString("en-GB", { day: "numeric", month: "short", ...yearOf(at) });
}

/** @returns {string} A time of day: "17:35". */
export function clock(at) {
  return at.toLocaleTimeString("en-GB", { hour: "2-digit", minute: "2-digit" });
}

/** @returns {string} A moment: "22 Nov, 17:35". */
export function moment(text) {
  const at = new Date(text);
  return `${shortDay(at)}, ${clock(at)}`;
}

/** @returns {string} From when to when: "18 Nov to 22 Nov", of one day "22 Nov". */
export function span(first, last) {
  const [from, to] = [shortDay(new Date(first)), shortDay(new Date(last))];
  return from === to ? from : `${from} to ${to}`;
}

/** @returns {string} A number with its noun: "1 entry", "2 entries". */
export function counted(number, one, many = `${one}s`) {
  return `${number.toLocaleString("en-GB")} ${number === 1 ? one : many}`;
}

/** @returns {string} A sentence that begins as one. */
export const cap = (text) => text.charAt(0).toUpperCase() + text.slice(1);

const yearOf = (at) => (at.getFullYear() === new Date().getFullYear() ? {} : { year: "numeric" });

function ofLink(verb, { name = "somebody", role, days }) {
  const terms = [role, days ? `${counted(days, "day")} from then` : ""].filter(Boolean);
  return `${verb} the link of ${name}${terms.length ? `: ${terms.join(", ")}` : ""}`;
}
