// Drawings from the server may carry other people's names: only shapes and texts pass, nothing that acts.
import { html, useLayoutEffect, useRef } from "./vendor/preact.js";

const ELEMENTS = new Set(["svg", "g", "path", "line", "polyline", "polygon", "circle", "ellipse", "rect", "text", "tspan", "title", "desc", "defs",
  "marker", "use", "clippath", "lineargradient", "radialgradient", "stop", "symbol", "style", "metadata"]);
const ATTRIBUTES = /^(xmlns|viewbox|width|height|preserveaspectratio|id|class|style|d|points|transform|x|y|x1|y1|x2|y2|cx|cy|r|rx|ry|dx|dy|fx|fy|offset|pathlength|fill(-.*)?|stroke(-.*)?|opacity|font(-.*)?|text-anchor|dominant-baseline|alignment-baseline|letter-spacing|marker(-.*)?|markerwidth|markerheight|markerunits|orient|refx|refy|clip-path|clip-rule|clippathunits|gradientunits|gradienttransform|spreadmethod|stop-(color|opacity)|vector-effect|paint-order|visibility|display|role|tabindex|data-.*|aria-.*)$/;
const NAMESPACE = "http://www.w3.org/2000/svg";
const OUTWARD = /url\(\s*['"]?(?!#)|@import|expression\(|javascript:/i;   // what a style could fetch or start

/** The drawing as an element of this document without anything beyond shapes and texts; null where it is no SVG. */
export function cleanSvg(source) {
  const whole = /^[^>]*\sxmlns=/.test(source) ? source : source.replace("<svg", `<svg xmlns="${NAMESPACE}"`);
  const parsed = new DOMParser().parseFromString(whole, "image/svg+xml");
  const root = parsed.documentElement;
  if (root.localName !== "svg" || parsed.querySelector("parsererror")) return null;
  cleaned(root);
  return document.importNode(root, true);
}

function cleaned(element) {
  for (const { name, value } of [...element.attributes]) {
    const inside = name === "href" || name === "xlink:href" ? value.startsWith("#") : ATTRIBUTES.test(name.toLowerCase()) || name.startsWith("xmlns");
    if (!inside || OUTWARD.test(value)) element.removeAttribute(name);
  }
  for (const child of [...element.children]) {
    const allowed = ELEMENTS.has(child.localName.toLowerCase()) && child.namespaceURI === NAMESPACE;
    if (!allowed || (child.localName === "style" && OUTWARD.test(child.textContent))) child.remove();
    else cleaned(child);
  }
}

/** A drawing of the server; `onReady(svg)` gets the element each time it is put in. */
export function Svg({ svg, label, onReady, ...rest }) {
  const place = useRef(null);
  useLayoutEffect(() => {
    const drawn = svg ? cleanSvg(svg) : null;
    place.current.replaceChildren(...(drawn ? [drawn] : []));
    if (drawn && onReady) onReady(drawn);
  }, [svg]);
  return html`<div role="img" aria-label=${label} ref=${place} ...${rest}></div>`;
}
