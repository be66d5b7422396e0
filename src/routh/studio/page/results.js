// The right pane: tabs whose panels are fetched when first opened and then stay, with all they remember.
import { html, useEffect, useErrorBoundary, useRef, useState } from "./vendor/preact.js";
import { set, useStore } from "./store.js";

const loaded = new Map();   // key -> promise of the tab's component

function load(tab) {
  if (!loaded.has(tab.key)) loaded.set(tab.key, tab.load().then(module => module.default).catch(error => { loaded.delete(tab.key); throw error; }));
  return loaded.get(tab.key);
}

/** A panel that fails says so and can be tried again; the rest of the page goes on. */
function Panel({ tab, active }) {
  const [Tab, found] = useState(null), [failed, fail] = useState(null);
  const [broken, mend] = useErrorBoundary();
  useEffect(() => { if (active && !Tab && !failed) load(tab).then(each => found(() => each), fail); }, [active, failed]);
  const wrong = broken ?? failed;
  const again = () => { fail(null); mend(); };
  if (wrong) console.error(wrong);
  return html`<div class="panel" role="tabpanel" id=${`panel-${tab.key}`} aria-labelledby=${`tab-${tab.key}`} hidden=${!active} tabindex="-1">
    <h2 class="unseen">${tab.title}</h2>
    ${wrong ? html`<p class="sentence" role="alert">${tab.title} cannot be shown: ${String(wrong.message ?? wrong)} <button onClick=${again}>Try again</button></p>` : Tab ? html`<${Tab} active=${active} />` : active && html`<p class="note">…</p>`}
  </div>`;
}

export function Results({ tabs }) {
  const chosen = useStore(s => s.tab), stale = useStore(s => s.refused !== null && s.model !== null), none = useStore(s => s.model === null), refused = useStore(s => s.refused), greeted = useStore(s => s.hello !== null);
  const waiting = refused ? "Results come when the model can be read: see the mistake in the text." : greeted ? "Reading the model…" : "Waiting for the server…";
  const [opened, open] = useState(new Set());
  const list = useRef(null);
  useEffect(() => { if (!opened.has(chosen)) open(new Set([...opened, chosen])); list.current.querySelector("[aria-selected=true]")?.scrollIntoView({ block: "nearest", inline: "nearest" }); }, [chosen]);
  const key = event => {
    const at = tabs.findIndex(each => each.key === chosen);
    const to = { ArrowRight: at + 1, ArrowLeft: at - 1, Home: 0, End: tabs.length - 1 }[event.key];
    if (to === undefined) return;
    event.preventDefault();
    const next = tabs[(to + tabs.length) % tabs.length];
    set({ tab: next.key });
    document.getElementById(`tab-${next.key}`).focus();
  };
  return html`<section class="results" aria-label="Results">
    <div class="tabs" role="tablist" aria-label="what to see" ref=${list} onKeyDown=${key}>
      ${tabs.map(each => html`<button role="tab" id=${`tab-${each.key}`} key=${each.key} aria-selected=${each.key === chosen} aria-controls=${`panel-${each.key}`} tabindex=${each.key === chosen ? 0 : -1}
        title=${`${each.title} (${each.shortcut})`} onClick=${() => set({ tab: each.key })}>${each.title}</button>`)}
    </div>
    <div class=${`panels ${stale ? "of-old-text" : ""}`}>
      ${none ? html`<p class="note empty">${waiting}</p>` : tabs.filter(each => opened.has(each.key) || each.key === chosen).map(each => html`<${Panel} key=${each.key} tab=${each} active=${each.key === chosen} />`)}
    </div>
  </section>`;
}
