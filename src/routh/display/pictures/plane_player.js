// Points, lines and springs in a plane.
const corners = (() => {
  const low = [Infinity, Infinity], high = [-Infinity, -Infinity];
  for (const track of [...data.points.map(p => p.track), ...data.lines.flat(), ...data.springs.flat()])
    for (const p of track) p.forEach((x, i) => { low[i] = Math.min(low[i], x); high[i] = Math.max(high[i], x); });
  return [low, high];
})();
function view() {
  const [low, high] = corners, centre = low.map((x, i) => (x + high[i]) / 2);
  const w = high[0] - low[0], h = high[1] - low[1], size = Math.max(w, h, 1e-12);
  const scale = 0.86 * Math.min(width / Math.max(w, size * 0.3), height / Math.max(h, size * 0.3));
  const at = ([x, y]) => [width / 2 + scale * (x - centre[0]), height / 2 - scale * (y - centre[1])];
  return { at, scale, centre };
}
function grid({ scale, centre }, line, faint) {   // squares of a round size
  pen.lineWidth = 1; pen.font = "11px system-ui, sans-serif";
  const raw = 90 / scale, power = 10 ** Math.floor(Math.log10(raw));
  const step = power * [1, 2, 5, 10].find(m => m * power >= raw);
  const text = x => String(+x.toPrecision(6));
  pen.strokeStyle = line; pen.fillStyle = faint;
  for (let k = Math.ceil((centre[0] - width / 2 / scale) / step); ; k++) {
    const x = width / 2 + scale * (k * step - centre[0]);
    if (x > width) break;
    pen.beginPath(); pen.moveTo(x, 0); pen.lineTo(x, height); pen.stroke();
    pen.fillText(text(k * step), x + 3, height - 5);
  }
  for (let k = Math.ceil((centre[1] - height / 2 / scale) / step); ; k++) {
    const y = height / 2 - scale * (k * step - centre[1]);
    if (y < 0) break;
    pen.beginPath(); pen.moveTo(0, y); pen.lineTo(width, y); pen.stroke();
    pen.fillText(text(k * step), 4, y - 3);
  }
}
function coil([ax, ay], [bx, by]) {        // a spring on the screen: its width does not change
  const dx = bx - ax, dy = by - ay, length = Math.hypot(dx, dy) || 1, wide = 0.02 * Math.min(width, height) + 2;
  const corner = (share, side) => pen.lineTo(ax + share * dx - side * wide * dy / length, ay + share * dy + side * wide * dx / length);
  pen.beginPath(); pen.moveTo(ax, ay); corner(straight, 0);
  for (let k = 0; k < 2 * turns; k++) corner(straight + (1 - 2 * straight) * (k + 0.5) / (2 * turns), k % 2 ? 1 : -1);
  corner(1 - straight, 0); pen.lineTo(bx, by); pen.stroke();
}
function paint(k, share) {
  const style = getComputedStyle(document.documentElement);
  const ink = style.getPropertyValue("--ink"), faint = style.getPropertyValue("--faint");
  const around = view(), at = around.at, colours = dark.matches ? bright : light;
  grid(around, style.getPropertyValue("--line"), faint);
  if ($("trail").checked) data.points.forEach((point, i) => {
    if (point.track.length === 1) return;
    const from = index(Math.max(first, time - data.trail));
    pen.strokeStyle = colours[i % colours.length]; pen.lineWidth = 1.2; pen.globalAlpha = 0.45;
    pen.beginPath();
    for (let j = from; j <= k; j++) { const [x, y] = at(point.track[j]); j === from ? pen.moveTo(x, y) : pen.lineTo(x, y); }
    pen.lineTo(...at(place(point.track, k, share)));
    pen.stroke(); pen.globalAlpha = 1;
  });
  pen.strokeStyle = ink; pen.lineWidth = 2; pen.lineJoin = pen.lineCap = "round";
  for (const line of data.lines) {
    pen.beginPath();
    line.forEach((track, i) => { const [x, y] = at(place(track, k, share)); i ? pen.lineTo(x, y) : pen.moveTo(x, y); });
    pen.stroke();
  }
  pen.lineWidth = 1.3;
  for (const spring of data.springs) for (let j = 1; j < spring.length; j++)
    coil(at(place(spring[j - 1], k, share)), at(place(spring[j], k, share)));
  data.points.forEach((point, i) => {
    const [x, y] = at(place(point.track, k, share));
    pen.fillStyle = colours[i % colours.length];
    pen.beginPath(); pen.arc(x, y, 6, 0, 2 * Math.PI); pen.fill();
    if (point.name) { pen.fillStyle = faint; pen.fillText(point.name, x + 9, y - 9); }
  });
  pen.fillStyle = faint; pen.font = "12px system-ui, sans-serif";
  for (const label of data.labels) {
    const [x, y] = at(place(label.track, k, share));
    pen.fillText(label.name, x + 6, y - 6);
  }
}
const state = () => [];
