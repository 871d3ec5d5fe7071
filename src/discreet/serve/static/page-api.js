/** The one module that asks the server, and the one that knows the token. */

const KEPT = "discreet token";

/** A request that was refused, or a server that was not reached. */
export class Refusal extends Error {
  /**
   * @param {number} status - Of HTTP; 0 where the server was not reached.
   * @param {{code?: string, says?: string, rule?: string, nearest?: object|null,
   *   place?: object|null}} told - The error.
   */
  constructor(status, told) {
    super(told.says || "The server did not answer as it should. Try again.");
    this.status = status;
    this.code = told.code || "broken";
    this.rule = told.rule || "";
    this.nearest = told.nearest || null;
    this.place = told.place || null;
  }
}

/**
 * Take a token out of the address, so that it stays in no history; keep it for this tab.
 *
 * @returns {void}
 */
export function takeTokenFromAddress() {
  const found = /(?:^#|&)token=([^&]+)/.exec(window.location.hash);
  if (!found) return;
  keepToken(decoded(found[1]));
  window.history.replaceState(null, "", window.location.pathname + window.location.search);
}

/** @returns {string} The token of this tab, or nothing. */
export function token() {
  return window.sessionStorage.getItem(KEPT) || "";
}

/**
 * Keep a token for this tab; an empty one is forgotten.
 *
 * @param {string} text - The token.
 * @returns {void}
 */
export function keepToken(text) {
  const clean = text.trim();
  if (clean) window.sessionStorage.setItem(KEPT, clean);
  else window.sessionStorage.removeItem(KEPT);
}

/**
 * Ask for JSON.
 *
 * @param {string} path - Such as "/api/study".
 * @param {{body?: object, method?: string, signal?: AbortSignal}} [how] - With a body it is a POST.
 * @returns {Promise<any>}
 */
export async function ask(path, how = {}) {
  const answer = await sent(path, how);
  try {
    return await answer.json();
  } catch (error) {
    throw interrupted(error) || new Refusal(answer.status, {});
  }
}

/**
 * Fetch a file and hand it to the browser to save.
 *
 * @param {string} path - Such as "/api/views/.../figure.svg".
 * @param {string} name - What it is called.
 * @returns {Promise<void>}
 */
export async function save(path, name) {
  const answer = await sent(path, {});
  const address = URL.createObjectURL(await answer.blob());
  const link = document.createElement("a");
  link.href = address;
  link.download = name;
  link.click();
  window.setTimeout(() => URL.revokeObjectURL(address), 10000);
}

/**
 * Fetch a picture.
 *
 * @param {string} path - Such as "/api/custodian/outputs/1/file".
 * @param {string} type - What it is: "image/png".
 * @returns {Promise<string>} An address for an image; whoever asks gives it back to the browser.
 */
export async function pictureOf(path, type) {
  const answer = await sent(path, {});
  return URL.createObjectURL(new Blob([await answer.arrayBuffer()], { type }));
}

async function sent(path, { body, method, signal }) {
  const headers = { Authorization: `Bearer ${encodable(token())}` };
  if (body !== undefined) headers["Content-Type"] = "application/json";
  const how = {
    method: method || (body === undefined ? "GET" : "POST"),
    headers,
    signal,
    cache: "no-store",
    credentials: "omit",
    body: body === undefined ? undefined : JSON.stringify(body),
  };
  let answer;
  try {
    answer = await fetch(path, how);
  } catch (error) {
    throw interrupted(error) || unreached();
  }
  if (answer.ok) return answer;
  const told = await answer.json().catch(() => ({}));
  throw new Refusal(answer.status, (told && told.error) || {});
}

function unreached() {
  const says = "The server cannot be reached. Is it running, and are you connected? Try again.";
  return new Refusal(0, { code: "unreached", says });
}

function interrupted(error) {
  return error instanceof DOMException && error.name === "AbortError" ? error : null;
}

function decoded(text) {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

// A header holds visible ASCII alone; anything else is no token, and the server says so.
function encodable(text) {
  return /^[\x21-\x7e]+$/.test(text) ? text : "";
}
