// Points, lines and springs in a plane.
import { corners, place, sampleBefore } from "./tracks.js";

const TURNS = 7, STRAIGHT = 0.12;          // of a spring, as in coils.py

export class PlanePainter {
  constructor(drawing, around) {
    this.drawing = drawing;
    [this.low, this.high] = corners(around);
  }

  /** How places come to the screen: the same as long as the drawing is. */
  view(width, height) {
    const { low, high } = this, centre = low.map((x, i) => (x + high[i]) / 2);
    const w = high[0] - low[0], h = high[1] - low[1], size = Math.max(w, h, 1e-12);
    const scale = 0.86 * Math.min(width / Math.max(w, size * 0.3), height / Math.max(h, size * 0.3));
    const at = ([x, y]) => [width / 2 + scale * (x - centre[0]), height / 2 - scale * (y - centre[1])];
    return { at, scale, centre };
  }

  paint(pen, width, height, [k, share], look) {
    const { drawing } = this, view = this.view(width, height), { at } = view;
    grid(pen, width, height, view, look);
    if (look.trail) this.trails(pen, at, k, share, look);
    pen.strokeStyle = look.ink; pen.lineWidth = 2; pen.lineJoin = pen.lineCap = "round";
    for (const line of drawing.lines) {
      pen.beginPath();
      line.forEach((track, i) => { const [x, y] = at(place(track, k, share)); i ? pen.lineTo(x, y) : pen.moveTo(x, y); });
      pen.stroke();
    }
    pen.lineWidth = 1.3;
    for (const spring of drawing.springs) for (let j = 1; j < spring.length; j++)
      coil(pen, at(place(spring[j - 1], k, share)), at(place(spring[j], k, share)), 0.02 * Math.min(width, height) + 2);
    this.marks(pen, at, k, share, look, height < 200 ? 4.5 : 6);
  }

  trails(pen, at, k, share, look) {
    const { t, points } = this.drawing, time = t[k] + share * ((t[k + 1] ?? t[k]) - t[k]);
    const from = sampleBefore(t, Math.max(t[0], time - look.trail));
    points.forEach((point, i) => {
      if (point.track.length === 1) return;
      pen.strokeStyle = look.colours[i % look.colours.length]; pen.lineWidth = 1.2; pen.globalAlpha = 0.45;
      pen.beginPath();
      for (let j = from; j <= k; j++) { const [x, y] = at(point.track[j]); j === from ? pen.moveTo(x, y) : pen.lineTo(x, y); }
      pen.lineTo(...at(place(point.track, k, share)));
      pen.stroke(); pen.globalAlpha = 1;
    });
  }

  marks(pen, at, k, share, look, radius) {
    pen.font = "12px system-ui, sans-serif";
    this.drawing.points.forEach((point, i) => {
      const [x, y] = at(place(point.track, k, share));
      pen.fillStyle = look.colours[i % look.colours.length];
      pen.beginPath(); pen.arc(x, y, radius, 0, 2 * Math.PI); pen.fill();
      if (point.name) { pen.fillStyle = look.soft; pen.fillText(point.name, x + 9, y - 9); }
    });
    pen.fillStyle = look.soft;
    for (const label of this.drawing.labels) {
      const [x, y] = at(place(label.track, k, share));
      pen.fillText(label.name, x + 6, y - 6);
    }
  }
}

function grid(pen, width, height, { scale, centre }, look) {   // squares of a round size
  pen.lineWidth = 1; pen.font = "11px system-ui, sans-serif";
  const raw = 90 / scale, power = 10 ** Math.floor(Math.log10(raw));
  const step = power * [1, 2, 5, 10].find(m => m * power >= raw);
  const words = x => String(+x.toPrecision(6)).replace("-", "−"), told = height > 200;
  pen.strokeStyle = look.line; pen.fillStyle = look.faint;
  for (let k = Math.ceil((centre[0] - width / 2 / scale) / step); ; k++) {
    const x = Math.round(width / 2 + scale * (k * step - centre[0])) + 0.5;
    if (x > width) break;
    pen.beginPath(); pen.moveTo(x, 0); pen.lineTo(x, height); pen.stroke();
    if (told) pen.fillText(words(k * step), x + 3, height - 5);
  }
  for (let k = Math.ceil((centre[1] - height / 2 / scale) / step); ; k++) {
    const y = Math.round(height / 2 - scale * (k * step - centre[1])) + 0.5;
    if (y < 0) break;
    pen.beginPath(); pen.moveTo(0, y); pen.lineTo(width, y); pen.stroke();
    if (told) pen.fillText(words(k * step), 4, y - 3);
  }
}

function coil(pen, [ax, ay], [bx, by], wide) {        // its width does not change
  const dx = bx - ax, dy = by - ay, length = Math.hypot(dx, dy) || 1;
  const corner = (share, side) => pen.lineTo(ax + share * dx - side * wide * dy / length, ay + share * dy + side * wide * dx / length);
  pen.beginPath(); pen.moveTo(ax, ay); corner(STRAIGHT, 0);
  for (let k = 0; k < 2 * TURNS; k++) corner(STRAIGHT + (1 - 2 * STRAIGHT) * (k + 0.5) / (2 * TURNS), k % 2 ? 1 : -1);
  corner(1 - STRAIGHT, 0); pen.lineTo(bx, by); pen.stroke();
}
