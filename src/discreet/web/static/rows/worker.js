/** Answers what a page asks of the rows of a protected copy. */

export const ready = true;
