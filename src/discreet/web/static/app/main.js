/** The board of a study. */

export const ready = true;
