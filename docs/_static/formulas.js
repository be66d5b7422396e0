// Sets the formulas of a page by KaTeX; those within a fold too, so that they print.
for (const place of document.querySelectorAll(".tex")) {
  katex.render(place.textContent, place, {
    displayMode: place.dataset.inline === undefined, throwOnError: false, strict: false, trust: false,
  });
}
document.documentElement.dataset.formulas = "set";
