// Bodies, arrows and frames in space, turned by hand.
const space = data.space, onpaper = matchMedia("print");
const front = {{view}};                    // from where it is looked at first, as in sketch.py
let [yaw, tilt] = front, zoom = 1;
stage.tabIndex = 0; stage.className = "turned";
stage.title = "drag or arrow keys: turn; + and -, or the wheel after a click: zoom; 0: back";
$("trail").parentNode.insertAdjacentHTML("afterend", '<label><input id="follow" type="checkbox"> follow</label>');

const dot = (a, b) => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
const cross = (a, b) => [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
const scaled = (a, c) => a.map(x => c * x), plus = (a, b) => a.map((x, i) => x + b[i]);
const unit = a => scaled(a, 1 / (Math.hypot(...a) || 1));
function turned(track, k, share) {         // the columns of a rotation between two samples, made orthonormal
  if (track.length > 1) {
    const a = track[k], b = track[Math.min(k + 1, track.length - 1)];
    if (a.reduce((sum, x, i) => sum + x * b[i], 0) < 0.2) share = Math.round(share);   // too far apart to go between
  }
  const R = place(track, k, share), x = unit([R[0], R[3], R[6]]), y = [R[1], R[4], R[7]];
  const across = unit(plus(y, scaled(x, -dot(x, y))));
  return [x, across, cross(x, across)];
}
const moved = (at, axes, p) => at.map((x, i) => x + axes[0][i] * p[0] + axes[1][i] * p[1] + axes[2][i] * p[2]);

// the view: right and up on the screen, and towards the eye
function looked(p) {
  const c = Math.cos(yaw), s = Math.sin(yaw), depth = s * p[0] + c * p[1];
  return [c * p[0] - s * p[1], p[2] * Math.cos(tilt) + depth * Math.sin(tilt), p[2] * Math.sin(tilt) - depth * Math.cos(tilt)];
}
const middle = space.low.map((x, i) => (x + space.high[i]) / 2);
const wide = Math.hypot(space.high[0] - space.low[0], space.high[1] - space.low[1]) / 2, high = (space.high[2] - space.low[2]) / 2;
const radius = Math.hypot(...space.low.map((x, i) => space.high[i] - x)) / 2 || 1;
const target = space.bodies.length ? space.bodies[0].at : data.points.length ? data.points[0].track : [middle];
const reach = space.bodies.length ? Math.max(...space.bodies[0].vertices.map(p => Math.hypot(...p))) : radius / 4;
$("follow").checked = space.bodies.length > 0 && radius > 8 * reach;
$("follow").parentNode.hidden = target.length === 1;
function view(k, share) {
  const follows = $("follow").checked;
  const centre = follows ? place(target, k, share) : middle;
  const around = follows ? Math.min(radius, 3.5 * reach) : radius;
  const across = follows ? around : wide, upright = follows ? around : 0.5 * wide + high;   // from a usual height of the eye
  const scale = 0.46 * zoom * Math.min(width / (across || around), height / upright);
  const [x, y] = looked(centre);
  return { centre, around, scale, at: p => [width / 2 + scale * (p[0] - x), height / 2 - scale * (p[1] - y)] };
}

// what lies before what: faces are cut by the planes of others, so that the farthest can be drawn first
function sides(p, plane, far) {            // of a face or a line: what is before a plane and what behind it
  const before = [], behind = [], count = p.length, ring = count > 2;
  for (let i = 0; i < count; i++) {
    const a = p[i], da = dot(plane.normal, a) - plane.offset;
    if (da >= -far) before.push(a);
    if (da <= far) behind.push(a);
    if (i + 1 === count && !ring) break;
    const b = p[(i + 1) % count], db = dot(plane.normal, b) - plane.offset;
    if ((da > far && db < -far) || (da < -far && db > far)) {
      const cut = plus(a, scaled(plus(b, scaled(a, -1)), da / (da - db)));
      before.push(cut); behind.push(cut);
    }
  }
  return [before, behind];
}
function painted(faces, thin, far) {       // as in painter.py
  const order = [], waiting = [[faces, thin]];
  while (waiting.length) {
    const next = waiting.pop();
    if (next.done) { order.push(...next.done); continue; }
    const [walls, lines] = next;
    if (!walls.length) { order.push(...lines.sort((a, b) => a.depth - b.depth)); continue; }
    const [plane] = walls.splice(walls.length >> 1, 1), here = [plane], before = [[], []], behind = [[], []];
    for (const [group, each] of [...walls.map(x => [0, x]), ...lines.map(x => [1, x])]) {
      let low = Infinity, high = -Infinity;
      for (const p of each.places) { const d = dot(plane.normal, p) - plane.offset; low = Math.min(low, d); high = Math.max(high, d); }
      if (high <= far && low >= -far) { if (group) (plane.normal[2] > 0 ? before : behind)[1].push(each); else here.push(each); }
      else if (low >= -far) before[group].push(each);
      else if (high <= far) behind[group].push(each);
      else sides(each.places, plane, far).forEach((places, i) => (i ? behind : before)[group].push({ ...each, places, depth: middling(places) }));
    }
    const [near, away] = plane.normal[2] > 0 ? [before, behind] : [behind, before];
    waiting.push(near, { done: here }, away);
  }
  return order;
}
const middling = places => places.reduce((sum, p) => sum + p[2], 0) / places.length;

// colours
const tints = [[127, 159, 196], [217, 164, 108], [127, 178, 154], [171, 145, 196], [190, 170, 120]];   // of bodies, as in stage.py
const sun = unit([-0.35, 0.55, 0.76]);
function shade(tint, tone, normal) {
  const lit = 0.62 + 0.38 * Math.max(0, dot(normal, sun));
  return "rgb(" + tint.map(x => Math.round(lit * (tone ? x + 0.6 * (255 - x) : x))).join() + ")";
}
const axes = [["x", "#c2334d"], ["y", "#1b8f5c"], ["z", "#3b7dd8"]];

function scene(k, share, colours, ink) {   // faces and thin things in the view, not in order
  const faces = [], thin = [], close = 0.003 * Math.min(radius, reach * 4);
  const put = (places, look, forward = 0) => { if (forward) places = places.map(p => [p[0], p[1], p[2] + forward]); thin.push({ places, depth: middling(places), ...look }); };
  const through = (places, look) => { for (let j = 1; j < places.length; j++) put([places[j - 1], places[j]], look); };
  space.bodies.forEach((body, number) => {
    const own = turned(body.turn, k, share), at = place(body.at, k, share);
    const corners = body.vertices.map(p => looked(moved(at, own, p)));
    const tint = tints[number % tints.length];
    const visible = body.faces.map((face, j) => {
      const places = face.map(i => corners[i]);
      let normal = [0, 0, 0];
      for (let i = 0; i < places.length; i++) normal = plus(normal, cross(places[i], places[(i + 1) % places.length]));
      normal = unit(normal);
      if (Math.abs(normal[2]) < 1e-6 || (body.closed && normal[2] < 0)) return false;
      if (normal[2] < 0) normal = scaled(normal, -1);
      faces.push({ places, normal, offset: dot(normal, places[0]), fill: shade(tint, body.tones[j], normal) });
      return true;
    });
    const edge = "rgb(" + tint.map(x => Math.round(0.45 * x)).join() + ")";
    for (const [i, j, f, g] of body.edges) if (visible[f] || visible[g]) put([corners[i], corners[j]], { stroke: edge, wide: 1 }, close);
  });
  if ($("trail").checked) data.points.forEach((point, i) => {
    if (point.track.length === 1) return;
    const from = index(Math.max(first, time - data.trail)), step = Math.max(1, Math.ceil((k - from) / 300)), way = [];
    for (let j = k; j > from; j -= step) way.push(looked(point.track[j]));
    way.push(looked(point.track[from]));
    through([looked(place(point.track, k, share)), ...way], { stroke: colours[i % colours.length], wide: 1.2, pale: true });
  });
  const here = track => looked(place(track, k, share));
  for (const line of data.lines) through(line.map(here), { stroke: ink, wide: 2 });
  for (const spring of data.springs) for (let j = 1; j < spring.length; j++) through(coil(here(spring[j - 1]), here(spring[j])), { stroke: ink, wide: 1.3 });
  data.points.forEach((point, i) => put([here(point.track)], { disc: colours[i % colours.length], name: point.name }, close));
  data.labels.forEach(label => put([here(label.track)], { name: label.name }, close));
  space.arrows.forEach((arrow, i) => {
    const foot = place(arrow.foot, k, share), way = place(arrow.way, k, share), stroke = colours[(i + 1) % colours.length];
    through([looked(foot), looked(plus(foot, way))], { stroke, wide: 2.4 });
    put([looked(plus(foot, way))], { head: looked(way), fill: stroke, name: arrow.name });
  });
  for (const frame of space.frames) {
    const at = place(frame.at, k, share), own = turned(frame.turn, k, share);
    axes.forEach(([letter, stroke], i) => {
      const tip = plus(at, scaled(own[i], frame.length));
      through([looked(at), looked(tip)], { stroke, wide: 2 });
      put([looked(tip)], { head: looked(scaled(own[i], frame.length)), fill: stroke, name: letter });
    });
    if (frame.name) put([looked(at)], { name: frame.name });
  }
  return painted(faces, thin, 1e-7 * radius);
}
function coil(a, b) {                      // a spring across the view: its width does not change
  const along = plus(b, scaled(a, -1)), wide = 0.04 * radius, aside = unit([-along[1], along[0], 0]);
  const corner = (share, side) => plus(plus(a, scaled(along, share)), scaled(aside, side * wide));
  const way = [a, corner(straight, 0)];
  for (let k = 0; k < 2 * turns; k++) way.push(corner(straight + (1 - 2 * straight) * (k + 0.5) / (2 * turns), k % 2 ? 1 : -1));
  return [...way, corner(1 - straight, 0), b];
}

// drawing
function ground({ at, centre, around }, line) {   // squares of a round size at the height of the lowest place
  const raw = around / 4, power = 10 ** Math.floor(Math.log10(raw)), step = power * [1, 2, 5, 10].find(m => m * power >= raw);
  const follows = $("follow").checked;
  const [west, east, south, north] = [0, 1].flatMap(i => [
    Math.floor((follows ? centre[i] - 2 * around : space.low[i]) / step), Math.ceil((follows ? centre[i] + 2 * around : space.high[i]) / step)]);
  pen.strokeStyle = line; pen.lineWidth = 1;
  const rule = (a, b) => { pen.beginPath(); pen.moveTo(...at(looked([...a, space.low[2]]))); pen.lineTo(...at(looked([...b, space.low[2]]))); pen.stroke(); };
  for (let k = west; k <= east; k++) rule([k * step, south * step], [k * step, north * step]);
  for (let k = south; k <= north; k++) rule([west * step, k * step], [east * step, k * step]);
  return String(+step.toPrecision(3));
}
function mark(each, at, faint) {
  const places = each.places.map(at);
  pen.globalAlpha = each.pale ? 0.5 : 1;
  if (each.fill && !each.head) {
    pen.fillStyle = pen.strokeStyle = each.fill; pen.lineWidth = 0.8;
    pen.beginPath(); places.forEach(([x, y], i) => i ? pen.lineTo(x, y) : pen.moveTo(x, y)); pen.closePath(); pen.fill(); pen.stroke();
  } else if (each.stroke) {
    pen.strokeStyle = each.stroke; pen.lineWidth = each.wide; pen.lineCap = each.pale ? "butt" : "round";
    pen.beginPath(); pen.moveTo(...places[0]); pen.lineTo(...places[1]); pen.stroke();
  } else if (each.disc) {
    pen.fillStyle = each.disc; pen.beginPath(); pen.arc(...places[0], 6, 0, 2 * Math.PI); pen.fill();
  } else if (each.head) {
    const [x, y] = places[0], long = Math.hypot(each.head[0], each.head[1]) || 1, [c, s] = [each.head[0] / long, -each.head[1] / long];
    const size = Math.min(10, 0.6 * long * (at([1, 0])[0] - at([0, 0])[0]));
    pen.fillStyle = each.fill; pen.beginPath(); pen.moveTo(x + 2 * c, y + 2 * s);
    pen.lineTo(x - size * c - 0.45 * size * s, y - size * s + 0.45 * size * c); pen.lineTo(x - size * c + 0.45 * size * s, y - size * s - 0.45 * size * c); pen.fill();
  }
  pen.globalAlpha = 1;
  if (each.name && each.name.trim()) { const [x, y] = places[0]; pen.fillStyle = each.head ? each.fill : faint; pen.font = "12px system-ui, sans-serif"; pen.fillText(each.name, x + 8, y - 7); }
}
function paint(k, share) {
  pen.lineJoin = "round";
  const style = getComputedStyle(document.documentElement), colour = name => style.getPropertyValue("--" + name);
  const around = view(k, share), colours = dark.matches && !onpaper.matches ? bright : light;
  const order = scene(k, share, colours, colour("ink"));
  let step = tilt >= 0 ? ground(around, colour("line")) : "";
  for (const each of order) mark(each, around.at, colour("faint"));
  if (tilt < 0) step = ground(around, colour("line"));   // seen from below it lies before everything
  pen.font = "11px system-ui, sans-serif"; pen.lineWidth = 1.2;
  axes.forEach(([name, stroke], i) => {
    const [x, y] = looked([0, 1, 2].map(j => +(i === j))), end = [44 + 26 * x, height - 44 - 26 * y];
    pen.strokeStyle = pen.fillStyle = stroke;
    pen.beginPath(); pen.moveTo(44, height - 44); pen.lineTo(...end); pen.stroke(); pen.fillText(name, end[0] + 3, end[1] - 3);
  });
  pen.fillStyle = colour("faint"); pen.fillText("squares of " + step, 88, height - 10);
}
const state = () => [yaw, tilt, zoom, $("follow").checked];
addEventListener("beforeprint", draw);

// what hands do
const turn = (right, up) => { yaw += right; tilt = Math.max(-1.57, Math.min(1.57, tilt + up)); };
const nearer = factor => { zoom = Math.max(0.2, Math.min(40, zoom * factor)); };
const keys = {
  ArrowLeft: () => turn(-0.1, 0), ArrowRight: () => turn(0.1, 0), ArrowUp: () => turn(0, 0.1), ArrowDown: () => turn(0, -0.1),
  "+": () => nearer(1.2), "=": () => nearer(1.2), "-": () => nearer(1 / 1.2), 0: () => { [yaw, tilt] = front; zoom = 1; },
};
stage.onkeydown = e => { if (keys[e.key] && !e.ctrlKey && !e.metaKey && !e.altKey) { e.preventDefault(); keys[e.key](); } };
const grips = new Map();                   // a finger or the mouse turns, two fingers zoom
stage.onpointerdown = e => { grips.set(e.pointerId, [e.clientX, e.clientY]); stage.setPointerCapture(e.pointerId); };
stage.onpointerup = stage.onpointercancel = e => { grips.delete(e.pointerId); };
stage.onpointermove = e => {
  const was = grips.get(e.pointerId);
  if (!was) return;
  const now = [e.clientX, e.clientY];
  if (grips.size === 2) {
    const [other] = [...grips].filter(([id]) => id !== e.pointerId).map(([, p]) => p);
    nearer(Math.hypot(now[0] - other[0], now[1] - other[1]) / (Math.hypot(was[0] - other[0], was[1] - other[1]) || 1));
  } else turn((now[0] - was[0]) / 150, (now[1] - was[1]) / 150);
  grips.set(e.pointerId, now);
};
stage.addEventListener("wheel", e => {     // a page that holds this one scrolls on, until it was clicked
  if (document.activeElement !== stage && !e.ctrlKey) return;
  e.preventDefault(); nearer(Math.exp(-e.deltaY / 500));
}, { passive: false });
