// The keyboard belongs to the terminal as soon as something is drawn; before, nobody would hear of it.
window.addEventListener("load", () => {
  const drawn = new MutationObserver(() => {
    if (document.body.classList.contains("-first-byte")) {
      drawn.disconnect();
      document.querySelector(".textual-terminal textarea")?.focus();
    }
  });
  drawn.observe(document.body, { attributes: true, attributeFilter: ["class"] });
});
