// Our sentences put names in backticks; on the page they are set as code.
import { html } from "./vendor/preact.js";

export function Sentence({ words }) {
  return html`<span>${String(words ?? "").split("`").map((part, k) => (k % 2 ? html`<code>${part}</code>` : part))}</span>`;
}
