// Tracks of points over time: what is between two samples, and how large everything is.

/** The sample before a time, by halving. */
export function sampleBefore(t, time) {
  let low = 0, high = t.length - 1;
  while (high - low > 1) { const middle = (low + high) >> 1; if (t[middle] <= time) low = middle; else high = middle; }
  return low;
}

/** The sample before a time and the share of the way to the next. */
export function moment(t, time) {
  const k = sampleBefore(t, time), gap = t[Math.min(k + 1, t.length - 1)] - t[k];
  return [k, gap > 0 ? Math.min(1, Math.max(0, (time - t[k]) / gap)) : 0];
}

/** Where a track is between two samples; one place alone does not move. */
export function place(track, k, share) {
  if (track.length === 1) return track[0];
  const a = track[k], b = track[Math.min(k + 1, track.length - 1)];
  return a.map((x, i) => x + share * (b[i] - x));
}

const tracksOf = drawing => [...drawing.points.map(p => p.track), ...drawing.lines.flat(), ...drawing.springs.flat()];

/** The corners of all places of drawings. */
export function corners(drawings) {
  const low = [], high = [];
  for (const drawing of drawings) for (const track of tracksOf(drawing)) for (const p of track) p.forEach((x, i) => {
    low[i] = Math.min(low[i] ?? Infinity, x);
    high[i] = Math.max(high[i] ?? -Infinity, x);
  });
  return low.length ? [low, high] : [[-1, -1], [1, 1]];
}

function swollenTrack(track, factor) {
  if (track.length === 1) return track;
  const middle = track[0].map((_, i) => track.reduce((sum, p) => sum + p[i], 0) / track.length);
  return track.map(p => p.map((x, i) => middle[i] + factor * (x - middle[i])));
}

/** The same oscillation, so many times as large about its middle. */
export function swollen(drawing, factor) {
  if (factor === 1) return drawing;
  const named = list => list.map(each => ({ ...each, track: swollenTrack(each.track, factor) }));
  const through = list => list.map(line => line.map(track => swollenTrack(track, factor)));
  const larger = { ...drawing, points: named(drawing.points), labels: named(drawing.labels), lines: through(drawing.lines), springs: through(drawing.springs) };
  if (!drawing.space) return larger;
  const placed = list => list.map(each => ({ ...each, at: swollenTrack(each.at, factor), turn: swollenTrack(each.turn, factor) }));
  const arrows = drawing.space.arrows.map(each => ({ ...each, foot: swollenTrack(each.foot, factor), way: swollenTrack(each.way, factor) }));
  return { ...larger, space: { ...drawing.space, bodies: placed(drawing.space.bodies), frames: placed(drawing.space.frames), arrows } };
}
