/** New columns and conditions: expressions over the rows of a part. */

import { Refused } from "./refused.js";

/**
 * Return the column that an expression makes of a part's rows.
 *
 * @param {Part} part - The rows.
 * @param {string} name - What it is called.
 * @param {string} text - The expression.
 * @returns {object}
 */
export function columnOf(part, name, text) {
  throw new Refused(`${name} cannot be made of ${text} here.`);
}

/**
 * Return a mask of the rows of a part for which a condition holds.
 *
 * @param {Part} part - The rows.
 * @param {string} text - The condition.
 * @returns {Uint8Array}
 */
export function maskWhere(part, text) {
  throw new Refused(`${text} cannot be asked here.`);
}
