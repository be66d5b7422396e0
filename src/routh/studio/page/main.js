// Starts the page: its tabs, its two panes, the connection.
import {html, render, useState, useEffect} from "./vendor/preact.js";
import {connect, takeDesk} from "./desk.js";

/** A tab whose module is fetched when it is opened first; a module that is missing or broken says so in its own panel. */
const lazily = (key, title, shortcut) => ({key, title, shortcut, load: () => import(`./tabs/${key}.js`)});

export const TABS = [
  lazily("picture", "Picture", "1"), lazily("derivation", "Derivation", "2"), lazily("equilibria", "Equilibria", "3"),
  lazily("modes", "Modes", "4"), lazily("response", "Response", "5"), lazily("branches", "Branches", "6"),
  lazily("motion", "Motion", "7"), lazily("chart", "Chart", "8"), lazily("export", "Export", "9"),
];

await takeDesk();
connect();
