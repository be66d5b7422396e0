// A window over the page: the browser's own dialog keeps the focus inside and closes with Escape.
import { html, useEffect, useRef } from "./vendor/preact.js";
import { set } from "./store.js";

export function Dialog({ title, children, ...rest }) {
  const place = useRef(null);
  useEffect(() => {
    const dialog = place.current;
    dialog.showModal();
    dialog.querySelector("[data-first]")?.focus();
    return () => dialog.open && dialog.close();
  }, []);
  const outside = event => event.target === place.current && close();
  return html`<dialog ref=${place} aria-label=${title} onClose=${close} onMouseDown=${outside} ...${rest}>
    <header><h2>${title}</h2><button class="quiet" onClick=${close} aria-label="close">✕</button></header>
    <div class="inside">${children}</div>
  </dialog>`;
}

export const close = () => set({ dialog: null });
