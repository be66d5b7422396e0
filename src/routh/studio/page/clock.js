// The time that players, cursors and sliders share: it runs only while something plays, and stands while a hand moves a parameter,
// so that what follows the hand has the machine for itself.
import { state } from "./store.js";

export const stillness = matchMedia("(prefers-reduced-motion: reduce)");

export class Clock {
  constructor() {
    Object.assign(this, { first: 0, last: 1, time: 0, speed: 1, playing: false });
    this.listeners = new Set();
    this.before = null;
    this.frame = this.frame.bind(this);
  }

  /** What it runs over; it begins again. */
  over(first, last, speed) {
    Object.assign(this, { first, last, speed, time: first });
    this.tell();
  }

  on(listener) {
    this.listeners.add(listener);
    listener(this);
    return () => this.listeners.delete(listener);
  }

  tell() { for (const listener of this.listeners) listener(this); }

  play() {
    if (this.playing) return;
    if (this.time >= this.last) this.time = this.first;
    this.playing = true;
    this.before = null;
    requestAnimationFrame(this.frame);
    this.tell();
  }

  pause() {
    this.playing = false;
    this.tell();
  }

  seek(time) {
    this.time = Math.min(this.last, Math.max(this.first, time));
    this.tell();
  }

  frame(now) {
    if (!this.playing) return;
    if (state.values !== state.settled) { this.before = null; requestAnimationFrame(this.frame); return; }
    // a page that was away for a while goes on where it was
    if (this.before !== null) this.time += Math.min(0.1, (now - this.before) / 1000) * this.speed;
    this.before = now;
    if (this.time > this.last) this.time = this.first + (this.last > this.first ? (this.time - this.first) % (this.last - this.first) : 0);
    this.tell();
    requestAnimationFrame(this.frame);
  }
}
