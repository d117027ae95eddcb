// The keyboard belongs to the terminal as soon as it is there.
window.addEventListener("load", () => document.querySelector(".textual-terminal textarea")?.focus());
