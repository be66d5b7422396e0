// Plotly with our look: the colours of the page, its letters, its sizes.
import { html, useEffect, useRef } from "./vendor/preact.js";
import { useStore } from "./store.js";

const SERIES = ["blue", "orange", "green", "violet", "brown", "pink"];

/** The colour of a token on this page, light or dark. */
export const token = (element, name) => getComputedStyle(element).getPropertyValue(`--${name}`).trim();
export const COLOURS = element => SERIES.map(name => token(element, name));
export const inkOf = element => Object.fromEntries(["ink", "soft", "faint", "line", "paper"].map(name => [name, token(element, name)]));
export const series = k => `var(--${SERIES[k % SERIES.length]})`;

/** The colour of a verdict, as in pictures and reports. */
export function verdictTone(verdict) {
  const words = (verdict || "").toLowerCase();
  if (words.startsWith("asymptotically")) return "green";
  if (words.startsWith("stable")) return "blue";
  if (words.startsWith("unstable")) return "red";
  return "soft";
}

const HOW = { responsive: true, displaylogo: false, displayModeBar: "hover", modeBarButtonsToRemove: ["lasso2d", "select2d", "autoScale2d"] };

function axis(ink, more) {
  return { gridcolor: ink.line, linecolor: ink.line, zerolinecolor: ink.faint, zerolinewidth: 1, tickfont: { size: 11 }, ...more,
           title: more.title ? { text: more.title, font: { size: 12, color: ink.soft }, standoff: 6 } : undefined };
}

function layoutOf(element, layout) {
  const ink = inkOf(element), rest = { ...layout };
  delete rest.xaxis; delete rest.yaxis;
  return {
    margin: { l: 56, r: 12, t: 8, b: 40 }, paper_bgcolor: "rgba(0,0,0,0)", plot_bgcolor: "rgba(0,0,0,0)",
    font: { family: getComputedStyle(element).fontFamily, size: 12, color: ink.ink }, showlegend: false, hovermode: "closest", dragmode: "zoom",
    hoverlabel: { bgcolor: ink.paper, bordercolor: ink.line, font: { color: ink.ink, size: 12 } }, ...rest,
    xaxis: axis(ink, layout.xaxis || {}), yaxis: axis(ink, layout.yaxis || {}),
  };
}

/** A plot by Plotly; `traces` is a function of colours by name, so that light and dark are one. */
export function Plot({ traces, layout = {}, height = 340, label, onpick }) {
  const place = useRef(null), pick = useRef(onpick), theme = useStore(s => s.theme);
  pick.current = onpick;
  useEffect(() => {
    const element = place.current, first = !element.classList.contains("js-plotly-plot");
    const drawn = window.Plotly.react(element, traces(name => token(element, name)), layoutOf(element, layout), HOW);
    if (first) drawn.then(() => element.on("plotly_click", event => pick.current?.(event.points[0])));
  });
  useEffect(() => {
    const again = matchMedia("(prefers-color-scheme: dark)");
    const recolour = () => { if (place.current?.data) window.Plotly.relayout(place.current, layoutOf(place.current, layout)); };
    again.addEventListener("change", recolour);
    return () => { again.removeEventListener("change", recolour); if (place.current) window.Plotly.purge(place.current); };
  }, [theme]);
  return html`<div ref=${place} class="plot" style=${{ height: `${height}px` }} role="group" aria-label=${label}></div>`;
}
