/** Days since 1970-01-01, and the parts of a date, in the calendar that Python has. */

const MILLISECONDS = 86_400_000;
const EARLIEST = -719_162; // the year 1
const AFTER = 2_932_897; // the year 10000
const CYCLE = 146_097; // days of 400 years
const HALF = 2 ** 52;

/** Round to the nearest whole number, halves to the even one. */
export function rint(value) {
  if (!(Math.abs(value) < HALF)) return value;
  return value < 0 ? value - HALF + HALF : value + HALF - HALF;
}

/** Return a date that the calendar has; another one is missing. */
export const dated = (days) => (days >= EARLIEST && days < AFTER ? days : NaN);

// A part of a day is not exact in double precision.
const moment = (days) => rint(dated(days) * MILLISECONDS);

/** Return the day that a moment is on. */
export const dayOf = (days) => Math.floor(moment(days) / MILLISECONDS);

/** Return the hour of a moment, from 0 to 23. */
export function hourOf(days) {
  const it = moment(days);
  return Math.floor((it - Math.floor(it / MILLISECONDS) * MILLISECONDS) / 3_600_000);
}

/** Return the day of the week of a moment, from 0, a Monday. */
export function weekdayOf(days) {
  const place = (dayOf(days) + 3) % 7; // 1970-01-01 was a Thursday
  return place < 0 ? place + 7 : place;
}

/** A part of a date; years begin in March here, so that a leap day is the last of one. */
export function partOf(part, days) {
  const since = dayOf(days) + 719_468; // since 0000-03-01
  const cycle = Math.floor(since / CYCLE);
  const at = since - cycle * CYCLE;
  const leaps = Math.floor(at / 1460) - Math.floor(at / 36_524) + Math.floor(at / 146_096);
  const year = Math.floor((at - leaps) / 365);
  const inYear = at - (365 * year + Math.floor(year / 4) - Math.floor(year / 100));
  const fromMarch = Math.floor((5 * inYear + 2) / 153);
  if (part === "day") return inYear - Math.floor((153 * fromMarch + 2) / 5) + 1;
  const month = fromMarch < 10 ? fromMarch + 3 : fromMarch - 9;
  if (part === "month") return month;
  if (part === "quarter") return Math.floor((month + 2) / 3);
  return year + cycle * 400 + (month <= 2 ? 1 : 0);
}

/** Days since 1970-01-01 of a text such as 2019-01-31; NaN where there is no such day. */
export function daysFrom(text) {
  const [year, month, day] = text.split("-").map(Number);
  const past = year - (month <= 2 ? 1 : 0);
  const cycle = Math.floor(past / 400);
  const inCycle = past - cycle * 400;
  const inYear = Math.floor((153 * (month + (month > 2 ? -3 : 9)) + 2) / 5) + day - 1;
  const leaps = Math.floor(inCycle / 4) - Math.floor(inCycle / 100);
  const days = cycle * CYCLE + inCycle * 365 + leaps + inYear - 719_468;
  const same = [partOf("year", days), partOf("month", days), partOf("day", days)];
  return same[0] === year && same[1] === month && same[2] === day ? days : NaN;
}

/** Seconds since midnight of 14:30 or 14:30:15; NaN where there is no such time. */
export function secondsFrom(text = "00:00") {
  const [hour, minute, second = 0] = text.split(":").map(Number);
  return hour < 24 && minute < 60 && second < 60 ? 3600 * hour + 60 * minute + second : NaN;
}
