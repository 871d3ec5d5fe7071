/** The picture of a column that is as high as a line or two. */

const [WIDE, HIGH] = [60, 20];

/**
 * Draw the counts of a view as bars.
 * @param {object} [view] - Of one column; nothing where it is not drawn.
 */
export function spark(view, isOn = () => true) {
  const counts = view?.counts || [];
  const most = Math.max(...counts, 1);
  const wide = WIDE / counts.length;
  const gap = Math.min(view?.levels ? 2 : 0.6, wide / 3);
  const bars = counts.map((count, i) => {
    const high = (HIGH * (count || 0)) / most;
    const at = [i * wide, HIGH - high, wide - gap, high].map((it) => it.toFixed(1));
    const off = isOn(i) ? "" : ' class="off"';
    return `<rect x="${at[0]}" y="${at[1]}" width="${at[2]}" height="${at[3]}"${off}/>`;
  });
  const box = `viewBox="0 0 ${WIDE} ${HIGH}" preserveAspectRatio="none"`;
  return `<svg class="spark" ${box} aria-hidden="true">${bars.join("")}</svg>`;
}
