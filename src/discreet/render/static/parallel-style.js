// The style of parallel coordinates on a page; laid upon it as style.js does.

// The name of an axis is painted beneath its button: what a page has for its own buttons must not
// reach these, or it would cover the name.
const PARALLEL_RULES = `
.discreet-parallel{position:relative}
.discreet-frame{overflow-x:auto;overflow-y:hidden}
.discreet-stage{position:relative;overflow:clip;touch-action:manipulation}
.discreet-stage canvas,.discreet-panel .discreet-stage canvas{position:absolute;left:0;top:0;display:block;
  pointer-events:none}
.discreet-base{position:absolute;inset:0;pointer-events:none;will-change:opacity}
.discreet-base.discreet-dimmed{opacity:.3}
.discreet-base canvas{transform-origin:0 0;will-change:transform}
.discreet-stage canvas.discreet-upright{will-change:transform}
.discreet-pick{position:absolute;cursor:crosshair}
.discreet-axis,.discreet-handle{position:absolute;cursor:grab;touch-action:pan-y pinch-zoom;user-select:none;
  -webkit-user-select:none}
.discreet-still .discreet-axis,.discreet-still .discreet-handle{cursor:default;touch-action:inherit}
.discreet-stage .discreet-axis,.discreet-stage .discreet-axis:is(:hover,:active,:focus){appearance:none;
  background:none;box-shadow:none;border:1px solid transparent;border-radius:4px;margin:0;padding:0;
  min-width:0;min-height:0;color:transparent;font:inherit;overflow:hidden}
.discreet-stage .discreet-axis:hover:hover{border-color:var(--discreet-line)}
.discreet-axis:focus-visible,.discreet-pick:focus-visible,.discreet-frame:focus-visible{
  outline:2px solid var(--discreet-accent);outline-offset:-1px}
.discreet-moving .discreet-axis,.discreet-moving .discreet-handle,.discreet-moving .discreet-pick{
  cursor:grabbing}
.discreet-slides canvas,.discreet-slides .discreet-axis{transition:transform .2s ease-out}
.discreet-slot{position:absolute;width:18px;margin-left:-9px;border-radius:9px;pointer-events:none;
  box-sizing:border-box;background:color-mix(in srgb,var(--discreet-accent) 16%,transparent);
  border:1.5px dashed var(--discreet-accent);opacity:.75}
.discreet-slot.discreet-closed{border:1.5px solid var(--discreet-apart);
  background:repeating-linear-gradient(45deg,transparent 0 5px,
  color-mix(in srgb,var(--discreet-apart) 40%,transparent) 5px 7px)}
.discreet-slot.discreet-aimed{opacity:1;border-width:3px}
.discreet-tip{position:absolute;z-index:2;max-width:22rem;padding:.3rem .5rem;border-radius:4px;
  pointer-events:none;font-size:.8125rem;line-height:1.35;background:var(--discreet-paper);
  color:var(--discreet-ink);border:1px solid var(--discreet-line);box-shadow:0 2px 8px rgba(0,0,0,.2);
  overflow-wrap:anywhere}
.discreet-tip[hidden]{display:none}
.discreet-tip p{margin:0}
.discreet-live{position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%);
  white-space:nowrap}
@media (prefers-reduced-motion:reduce){.discreet-slides canvas,.discreet-slides .discreet-axis{
  transition:none}}
`;

let parallelSheet = null;

/** Lay the style upon the page, or the shadow root, that an element stands in; once. */
export function dressParallel(host) {
  const root = host.getRootNode();
  const place = root.adoptedStyleSheets ? root : document;
  if (!parallelSheet) {
    parallelSheet = new CSSStyleSheet();
    parallelSheet.replaceSync(PARALLEL_RULES);
  }
  if (!place.adoptedStyleSheets.includes(parallelSheet)) {
    place.adoptedStyleSheets = [...place.adoptedStyleSheets, parallelSheet];
  }
}
