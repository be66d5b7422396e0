// Before anything is drawn, so that a dark page never flashes white.
document.documentElement.dataset.theme = localStorage.getItem("routh-theme") ?? "auto";
