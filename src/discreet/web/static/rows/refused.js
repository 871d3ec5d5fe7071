/** A question that has no answer; its words are for whoever asked. */
export class Refused extends Error {
  /**
   * @param {string} says - The cause, and a way that works.
   * @param {{text?: string, at?: number, length?: number, alternative?: object}} [where] - Of a
   *   mistake in an expression: the text and the place in it; else a spec that can be drawn.
   */
  constructor(says, where = {}) {
    super(says);
    this.where = where;
  }
}
