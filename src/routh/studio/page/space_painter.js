// Bodies, arrows and frames in space, turned by hand.
import { place, sampleBefore } from "./tracks.js";

const FRONT = [-0.6, 0.35];                // from where it is looked at first, as in sketch.py
const TURNS = 7, STRAIGHT = 0.12;          // of a spring, as in coils.py
const TINTS = [[127, 159, 196], [217, 164, 108], [127, 178, 154], [171, 145, 196], [190, 170, 120]];   // of bodies, as in stage.py
const AXES = [["x", "#c2334d"], ["y", "#1b8f5c"], ["z", "#3b7dd8"]];

const dot = (a, b) => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
const cross = (a, b) => [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
const scaled = (a, c) => a.map(x => c * x), plus = (a, b) => a.map((x, i) => x + b[i]);
const unit = a => scaled(a, 1 / (Math.hypot(...a) || 1));
const moved = (at, axes, p) => at.map((x, i) => x + axes[0][i] * p[0] + axes[1][i] * p[1] + axes[2][i] * p[2]);
const middling = places => places.reduce((sum, p) => sum + p[2], 0) / places.length;
const SUN = unit([-0.35, 0.55, 0.76]);

function turned(track, k, share) {         // the columns of a rotation between two samples, made orthonormal
  if (track.length > 1) {
    const a = track[k], b = track[Math.min(k + 1, track.length - 1)];
    if (a.reduce((sum, x, i) => sum + x * b[i], 0) < 0.2) share = Math.round(share);   // too far apart to go between
  }
  const R = place(track, k, share), x = unit([R[0], R[3], R[6]]), y = [R[1], R[4], R[7]];
  const across = unit(plus(y, scaled(x, -dot(x, y))));
  return [x, across, cross(x, across)];
}

function shade(tint, tone, normal) {
  const lit = 0.62 + 0.38 * Math.max(0, dot(normal, SUN));
  return `rgb(${tint.map(x => Math.round(lit * (tone ? x + 0.6 * (255 - x) : x))).join()})`;
}

// what lies before what: faces are cut by the planes of others, so that the farthest can be drawn first, as in painter.py
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

function painted(faces, thin, far) {
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

export class SpacePainter {
  constructor(drawing) {
    this.drawing = drawing;
    this.space = drawing.space;
    [this.yaw, this.tilt] = FRONT;
    this.zoom = 1;
    const { low, high, bodies } = this.space;
    this.middle = low.map((x, i) => (x + high[i]) / 2);
    this.wide = Math.hypot(high[0] - low[0], high[1] - low[1]) / 2;
    this.high = (high[2] - low[2]) / 2;
    this.radius = Math.hypot(...low.map((x, i) => high[i] - x)) / 2 || 1;
    this.target = bodies.length ? bodies[0].at : drawing.points.length ? drawing.points[0].track : [this.middle];
    this.reach = bodies.length ? Math.max(...bodies[0].vertices.map(p => Math.hypot(...p))) : this.radius / 4;
    this.follows = bodies.length > 0 && this.radius > 8 * this.reach;
    this.looked = this.looked.bind(this);
  }

  turn(right, up) { this.yaw += right; this.tilt = Math.max(-1.57, Math.min(1.57, this.tilt + up)); }
  nearer(factor) { this.zoom = Math.max(0.2, Math.min(40, this.zoom * factor)); }
  back() { [this.yaw, this.tilt] = FRONT; this.zoom = 1; }
  takeView(other) { Object.assign(this, { yaw: other.yaw, tilt: other.tilt, zoom: other.zoom }); }

  looked(p) {                              // right and up on the screen, and towards the eye
    const c = Math.cos(this.yaw), s = Math.sin(this.yaw), depth = s * p[0] + c * p[1], { tilt } = this;
    return [c * p[0] - s * p[1], p[2] * Math.cos(tilt) + depth * Math.sin(tilt), p[2] * Math.sin(tilt) - depth * Math.cos(tilt)];
  }

  view(width, height, k, share) {
    const { follows, radius, reach, wide, zoom } = this;
    const centre = follows ? place(this.target, k, share) : this.middle;
    const around = follows ? Math.min(radius, 3.5 * reach) : radius;
    const across = follows ? around : wide, upright = follows ? around : 0.5 * wide + this.high;   // from a usual height of the eye
    const scale = 0.46 * zoom * Math.min(width / (across || around), height / (upright || around));
    const [x, y] = this.looked(centre);
    return { centre, around, scale, at: p => [width / 2 + scale * (p[0] - x), height / 2 - scale * (p[1] - y)] };
  }

  body(body, number, k, share, faces, put, close) {
    const own = turned(body.turn, k, share), at = place(body.at, k, share);
    const places = body.vertices.map(p => this.looked(moved(at, own, p))), tint = TINTS[number % TINTS.length];
    const visible = body.faces.map((face, j) => {
      const ring = face.map(i => places[i]);
      let normal = [0, 0, 0];
      for (let i = 0; i < ring.length; i++) normal = plus(normal, cross(ring[i], ring[(i + 1) % ring.length]));
      normal = unit(normal);
      if (Math.abs(normal[2]) < 1e-6 || (body.closed && normal[2] < 0)) return false;
      if (normal[2] < 0) normal = scaled(normal, -1);
      faces.push({ places: ring, normal, offset: dot(normal, ring[0]), fill: shade(tint, body.tones[j], normal) });
      return true;
    });
    const edge = `rgb(${tint.map(x => Math.round(0.45 * x)).join()})`;
    for (const [i, j, f, g] of body.edges) if (visible[f] || visible[g]) put([places[i], places[j]], { stroke: edge, wide: 1 }, close);
  }

  trails(k, share, look, through) {
    const { t, points } = this.drawing, time = t[k] + share * ((t[k + 1] ?? t[k]) - t[k]);
    const from = sampleBefore(t, Math.max(t[0], time - look.trail)), step = Math.max(1, Math.ceil((k - from) / 300));
    points.forEach((point, i) => {
      if (point.track.length === 1) return;
      const way = [this.looked(place(point.track, k, share))];
      for (let j = k; j > from; j -= step) way.push(this.looked(point.track[j]));
      way.push(this.looked(point.track[from]));
      through(way, { stroke: look.colours[i % look.colours.length], wide: 1.2, pale: true });
    });
  }

  scene(k, share, look) {                  // everything in the view, the farthest first
    const { drawing, space, looked } = this, faces = [], thin = [], close = 0.003 * Math.min(this.radius, this.reach * 4);
    const put = (places, how, forward = 0) => {
      if (forward) places = places.map(p => [p[0], p[1], p[2] + forward]);
      thin.push({ places, depth: middling(places), ...how });
    };
    const through = (places, how) => { for (let j = 1; j < places.length; j++) put([places[j - 1], places[j]], how); };
    const here = track => looked(place(track, k, share));
    space.bodies.forEach((body, number) => this.body(body, number, k, share, faces, put, close));
    if (look.trail) this.trails(k, share, look, through);
    for (const line of drawing.lines) through(line.map(here), { stroke: look.ink, wide: 2 });
    for (const spring of drawing.springs) for (let j = 1; j < spring.length; j++)
      through(coil(here(spring[j - 1]), here(spring[j]), 0.04 * this.radius), { stroke: look.ink, wide: 1.3 });
    drawing.points.forEach((point, i) => put([here(point.track)], { disc: look.colours[i % look.colours.length], name: point.name }, close));
    drawing.labels.forEach(label => put([here(label.track)], { name: label.name }, close));
    this.arrows(k, share, look, put, through);
    return painted(faces, thin, 1e-7 * this.radius);
  }

  arrows(k, share, look, put, through) {
    const { space, looked } = this;
    space.arrows.forEach((arrow, i) => {
      const foot = place(arrow.foot, k, share), way = place(arrow.way, k, share), stroke = look.colours[(i + 1) % look.colours.length];
      through([looked(foot), looked(plus(foot, way))], { stroke, wide: 2.4 });
      put([looked(plus(foot, way))], { head: looked(way), fill: stroke, name: arrow.name });
    });
    for (const frame of space.frames) {
      const at = place(frame.at, k, share), own = turned(frame.turn, k, share);
      AXES.forEach(([letter, stroke], i) => {
        const tip = plus(at, scaled(own[i], frame.length));
        through([looked(at), looked(tip)], { stroke, wide: 2 });
        put([looked(tip)], { head: looked(scaled(own[i], frame.length)), fill: stroke, name: letter });
      });
      if (frame.name) put([looked(at)], { name: frame.name });
    }
  }

  paint(pen, width, height, [k, share], look) {
    pen.lineJoin = "round";
    const view = this.view(width, height, k, share), order = this.scene(k, share, look);
    let step = this.tilt >= 0 ? this.ground(pen, view, look.line) : "";
    for (const each of order) mark(pen, each, view.at, look.soft);
    if (this.tilt < 0) step = this.ground(pen, view, look.line);   // seen from below it lies before everything
    if (height < 200) return;
    pen.font = "11px system-ui, sans-serif"; pen.lineWidth = 1.2;
    AXES.forEach(([name, stroke], i) => {
      const [x, y] = this.looked([0, 1, 2].map(j => +(i === j))), end = [44 + 26 * x, height - 44 - 26 * y];
      pen.strokeStyle = pen.fillStyle = stroke;
      pen.beginPath(); pen.moveTo(44, height - 44); pen.lineTo(...end); pen.stroke(); pen.fillText(name, end[0] + 3, end[1] - 3);
    });
    pen.fillStyle = look.faint; pen.fillText(`squares of ${step}`, 88, height - 10);
  }

  ground(pen, { at, centre, around }, line) {   // squares of a round size at the height of the lowest place
    const { space, follows, looked } = this;
    const raw = around / 4, power = 10 ** Math.floor(Math.log10(raw)), step = power * [1, 2, 5, 10].find(m => m * power >= raw);
    const [west, east, south, north] = [0, 1].flatMap(i => [
      Math.floor((follows ? centre[i] - 2 * around : space.low[i]) / step), Math.ceil((follows ? centre[i] + 2 * around : space.high[i]) / step)]);
    pen.strokeStyle = line; pen.lineWidth = 1;
    const rule = (a, b) => { pen.beginPath(); pen.moveTo(...at(looked([...a, space.low[2]]))); pen.lineTo(...at(looked([...b, space.low[2]]))); pen.stroke(); };
    for (let k = west; k <= east; k++) rule([k * step, south * step], [k * step, north * step]);
    for (let k = south; k <= north; k++) rule([west * step, k * step], [east * step, k * step]);
    return String(+step.toPrecision(3));
  }
}

function coil(a, b, wide) {                // across the view: its width does not change
  const along = plus(b, scaled(a, -1)), aside = unit([-along[1], along[0], 0]);
  const corner = (share, side) => plus(plus(a, scaled(along, share)), scaled(aside, side * wide));
  const way = [a, corner(STRAIGHT, 0)];
  for (let k = 0; k < 2 * TURNS; k++) way.push(corner(STRAIGHT + (1 - 2 * STRAIGHT) * (k + 0.5) / (2 * TURNS), k % 2 ? 1 : -1));
  return [...way, corner(1 - STRAIGHT, 0), b];
}

function mark(pen, each, at, faint) {
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
  if (each.name && each.name.trim()) {
    const [x, y] = places[0];
    pen.fillStyle = each.head ? each.fill : faint; pen.font = "12px system-ui, sans-serif"; pen.fillText(each.name, x + 8, y - 7);
  }
}
