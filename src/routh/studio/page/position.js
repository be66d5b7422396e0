// Where motions start and where one stands, with the numbers of the file where nothing else was said.
import { letGo, moveAll } from "./following.js";
import { set, state } from "./store.js";

/** {q, rates} of motions: what was set, and the file's numbers for the rest. */
export function startOf(model, start) {
  const q = { ...start.q }, rates = { ...start.rates };
  for (const each of model.coordinates) {
    q[each.name] = start.q[each.name] ?? each.start ?? 0;
    rates[each.name] = start.rates[each.name] ?? each.rate ?? 0;
  }
  return { q, rates };
}

/** Start in a position, with the velocities as they were: a top that is put elsewhere goes on spinning. */
export const startAt = q => set({ start: { ...state.start, q } });

export const startOfFile = () => set({ start: { q: {}, rates: {} } });

/** Stand on an equilibrium: everything linear is of it from now on. */
export const standOn = rest => set({ q: rest.q, rest });

/** Move parameters and, where it is known, the position that belongs to them. */
export function goTo(values, q) {
  const all = { ...state.values, ...values };
  if (!q) { moveAll(all); return; }
  set({ values: all, q, rest: null });   // at once: the position is a rest with these values alone
  letGo();
}

/** Whether a coordinate is read in degrees too. */
export const isAngle = c => c.angle && (!c.unit || c.unit === "rad");

export const sameNumbers = (a, b) => Object.keys(a).length === Object.keys(b).length && Object.keys(a).every(name => Object.is(a[name], b[name]));
