/** Light or dark: as the system has it, or as the button was set; kept in this browser. */

const KEPT = "discreet theme";
const THEMES = ["auto", "light", "dark"];
const CALLED = { auto: "as the system", light: "light", dark: "dark" };

/** @returns {"auto"|"light"|"dark"} What is chosen. */
function theme() {
  const kept = window.localStorage.getItem(KEPT);
  return THEMES.includes(kept) ? kept : "auto";
}

/** Let a button go through the themes. */
export function themeButton(button, changed = () => {}) {
  const apply = () => {
    document.documentElement.dataset.theme = theme();
    button.textContent = { auto: "◐", light: "☀", dark: "☾" }[theme()];
    button.setAttribute("aria-label", `Colours: ${CALLED[theme()]}. Change`);
    button.title = `Colours: ${CALLED[theme()]}`;
  };
  button.addEventListener("click", () => {
    const next = THEMES[(THEMES.indexOf(theme()) + 1) % THEMES.length];
    window.localStorage.setItem(KEPT, next);
    apply();
    changed(next);
  });
  apply();
}
