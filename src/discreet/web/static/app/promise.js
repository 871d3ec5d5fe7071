/** The one sentence that stands above everything: what holds of all that is seen. */

/**
 * @param {object} facts - Of the study.
 * @returns {string}
 */
export function promiseOf({ policy }) {
  if (policy.public) return "These data are public or simulated.";
  return `At least ${policy.k} persons stand behind everything you see.`;
}
