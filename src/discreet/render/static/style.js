// The style of drawings. It is laid upon the page by script, which a strict content security policy
// allows, and speaks of nothing outside of a drawing.

const RULES = `
.discreet-figure{margin:0;color:var(--discreet-ink);font:14px/1.45 system-ui,-apple-system,
  "Segoe UI",Roboto,"Helvetica Neue",Arial,"DejaVu Sans",sans-serif;container-type:inline-size}
.discreet-title{font-size:1.1rem;font-weight:600;margin:0 0 .5rem}
.discreet-unreliable{font-size:1.25rem;font-weight:600;line-height:1.35;margin:0 0 .75rem;
  padding-left:.75rem;border-left:5px solid var(--discreet-ink);max-width:44rem;
  overflow-wrap:anywhere;text-wrap:balance}
.discreet-greyed .discreet-panels,.discreet-greyed .discreet-legend{opacity:.4;
  filter:grayscale(1)}
.discreet-panels{display:flex;flex-wrap:wrap;gap:16px}
.discreet-grid{display:grid;grid-template-columns:repeat(var(--discreet-across),minmax(0,1fr))}
.discreet-column,.discreet-row{display:none;font-size:.95rem;font-weight:600;
  overflow-wrap:anywhere}
.discreet-grid .discreet-column,.discreet-grid .discreet-row{display:block}
.discreet-grid .discreet-row{grid-column:1/-1}
.discreet-grid h3{display:none}
.discreet-panel{min-width:0;position:relative}
.discreet-scroll{overflow-x:auto;overflow-y:hidden}
.discreet-legend{display:block}
.discreet-legend[hidden]{display:none}
.discreet-panel h3{font-size:.95rem;font-weight:600;margin:.25rem 0;overflow-wrap:anywhere}
.discreet-panel canvas{display:block}
.discreet-figure figcaption{color:var(--discreet-grey);font-size:.8125rem;margin-top:.5rem;
  max-width:52rem}
.discreet-figure figcaption p{margin:.15rem 0;overflow-wrap:anywhere}
.discreet-figure figcaption .discreet-code{font-size:.6875rem}
.discreet-numbers{margin-top:.5rem;font-size:.8125rem}
.discreet-numbers summary{cursor:pointer;color:var(--discreet-grey);padding:.25rem 0;
  width:max-content;max-width:100%}
.discreet-numbers div{overflow:auto;max-height:24rem;margin:.25rem 0 .75rem}
.discreet-numbers table{border-collapse:collapse;font-variant-numeric:tabular-nums}
.discreet-numbers caption{text-align:left;color:var(--discreet-grey);padding:.25rem 0}
.discreet-numbers th,.discreet-numbers td{text-align:left;padding:.15rem .9rem .15rem 0;
  font-weight:400;border-bottom:1px solid var(--discreet-grid)}
.discreet-numbers thead th{font-weight:600;position:sticky;top:0;background:var(--discreet-paper)}
`;

const COLORS = ["ink", "grey", "grid", "paper", "line", "accent"];
let sheet = null;

/**
 * Lay the style upon the page, or the shadow root, that an element stands in; once.
 *
 * @param {Element} host where a picture will be.
 */
export function dress(host) {
  const root = host.getRootNode();
  const place = root.adoptedStyleSheets ? root : document;
  if (!sheet) {
    sheet = new CSSStyleSheet();
    sheet.replaceSync(RULES);
  }
  if (!place.adoptedStyleSheets.includes(sheet)) {
    place.adoptedStyleSheets = [...place.adoptedStyleSheets, sheet];
  }
}

/**
 * Tell an element the colours of a theme.
 *
 * @param {HTMLElement} element that holds a picture.
 * @param {object} theme colours.
 */
export function colour(element, theme) {
  COLORS.forEach((name) => element.style.setProperty(`--discreet-${name}`, theme[name]));
}
