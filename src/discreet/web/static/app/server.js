/** The one module that asks the server, and the one that knows the token. */

const KEPT = "discreet token";

/** A request that was refused, or a server that was not reached. */
export class Refusal extends Error {
  /**
   * @param {number} status - Of HTTP; 0 where the server was not reached.
   * @param {object} given - The error: `code`, `says`, `rule`, `nearest`, `place`.
   */
  constructor(status, given) {
    super(given.says || "The server did not answer as it should. Try again.");
    this.status = status;
    this.code = given.code || "broken";
    this.nearest = given.nearest || null;
    this.place = given.place || null;
  }
}

/** @returns {string} The token of this tab, or nothing. */
export const token = () => sessionStorage.getItem(KEPT) || "";

/** Keep a token for this tab; an empty one is forgotten. */
export function keepToken(text) {
  const clean = text.trim();
  if (clean) sessionStorage.setItem(KEPT, clean);
  else sessionStorage.removeItem(KEPT);
}

/** Take a token out of the address, so that it stays in no history. */
export function takeTokenFromAddress() {
  const found = /(?:^#|&)token=([^&]+)/.exec(location.hash);
  if (!found) return;
  keepToken(decoded(found[1]));
  const rest = location.hash.replace(/(^#|&)token=[^&]+/, "$1").replace(/^#&?/, "");
  history.replaceState(null, "", location.pathname + location.search + (rest ? `#${rest}` : ""));
}

/** Do something that needs a token; ask for `another` one as long as the server refuses it. */
export async function withToken(run, another) {
  for (;;) {
    try {
      return await run();
    } catch (error) {
      if (error.status !== 401) throw error;
      await another();
    }
  }
}

/** Ask for JSON; with a body it is a POST, if nothing else is said. */
export async function ask(path, body, method) {
  const answer = await sent(path, body, method);
  return answer.json().catch(() => {
    throw new Refusal(answer.status, {});
  });
}

/** @param {string} path - Of bytes. @returns {Promise<ArrayBuffer>} */
export const bytesOf = async (path) => (await sent(path)).arrayBuffer();

/** @param {string} path - Of a file. @returns {Promise<Blob>} */
export const fileOf = async (path) => (await sent(path)).blob();

/** Send a drawing. @returns {Promise<{blob: Blob, missing: string}>} It as a file; letters without a font. */
export async function sealedFile(path, body) {
  const answer = await sent(path, body);
  return { blob: await answer.blob(), missing: answer.headers.get("Missing-Letters") || "" };
}

async function sent(path, body, method = body === undefined ? "GET" : "POST") {
  const headers = { Authorization: `Bearer ${encodable(token())}` };
  if (body !== undefined) headers["Content-Type"] = "application/json";
  const how = {
    method,
    headers,
    cache: "no-store",
    credentials: "omit",
    body: body === undefined ? undefined : JSON.stringify(body),
  };
  const answer = await fetch(path, how).catch(() => {
    const says = "The server cannot be reached. Is it running, and are you connected? Try again.";
    throw new Refusal(0, { code: "unreached", says });
  });
  if (answer.ok) return answer;
  const given = await answer.json().catch(() => ({}));
  throw new Refusal(answer.status, given?.error || {});
}

export function decoded(text) {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

// A header holds visible ASCII alone; anything else is no token, and the server says so.
const encodable = (text) => (/^[\x21-\x7e]+$/.test(text) ? text : "");
