/** What happens when something on the page is pressed. */

import { offer } from "./dock.js";
import { studiesTable } from "./answered-table.js";
import { h } from "./dom.js";
import { boardsForm, wordsForm } from "./boards.js";
import { columnForm } from "./column-form.js";
import { addFilters, changeFilters, filtersOf } from "./filters.js";
import { filterForm } from "./filter-form.js";
import { close, copied, isOpen, notice, open, say } from "./floating.js";
import { address } from "./history.js";
import { kindsOf, menuOf } from "./menu.js";
import { modelForm } from "./model-form.js";
import { dropColumn } from "./new-columns.js";
import { askForm, questionList } from "./ask-data.js";
import { handInForm, outputList } from "./hand-in.js";
import { openRows } from "./rows-table.js";
import { save } from "./save.js";
import { openKeys, openPalette } from "./palette.js";
import { besideOf, EMPTY, plain } from "./state.js";
import { expressionOf } from "./words.js";

const LINK = "Link copied. Who opens it needs a token of this study.";

/**
 * Return what each act does.
 * @param {object} how - `who(anchor)` shows whose token it is.
 * @returns {Object<string, (target: HTMLElement, event: Event) => void>}
 */
export function actsOf(board, how) {
  let menuCard = null;
  const cardAt = (target) => board.cards.find((it) => it.element.contains(target));
  const placeOf = (card) => board.cards.indexOf(card);
  const edit = (card, change) => {
    close();
    const place = placeOf(card);
    if (place < 0) return; // it went while its menu was open
    board.commit((state) => change(state.cards, place));
  };
  const change = (card, more) => edit(card, (cards, i) => {
    cards[i] = plain({ ...cards[i], ...more });
  });
  const turn = (card, spec) => edit(card, (cards, i) => {
    cards[i] = plain({ ...spec, ...besideOf(cards[i]) });
  });
  const openAt = (card, content, width, says) =>
    open(card.element.querySelector("[data-act=menu]"), content, width, `${says} ${card.title}`);
  const openList = (list, width, label) =>
    list.then((it) => open(document.querySelector(".tools [data-act=who]"), it, width, label), board.failed);
  board.add = (spec) => {
    board.draft = [];
    document.body.classList.remove("sheet");
    board.adding = isOpen(); // of what a form makes, the focus goes to its card
    close();
    board.commit((state) => {
      state.cards.push(plain(spec));
      state.show = "";
    });
    board.adding = false;
    board.cards.at(-1)?.element.scrollIntoView({ block: "nearest", behavior: matchMedia("(prefers-reduced-motion: reduce)").matches ? "auto" : "smooth" });
  };
  board.change = (spec, more) => change(board.cards.find((it) => it.spec === spec), more);
  board.moveAxis = (spec, from, to) => {
    const card = board.cards.find((it) => it.spec === spec);
    const columns = [...spec.columns];
    if (to < 0 || to >= columns.length) return;
    columns.splice(to, 0, columns.splice(from, 1)[0]);
    change(card, { columns });
    say(`Axes in the order ${columns.join(", ")}`);
  };
  const filterBy = (...texts) => board.commit((state) => addFilters(state, texts));
  board.only = (light) => filterBy(...light.map((it) => expressionOf(it, board.columns)));
  board.keep = () => board.only(board.lights.kept().light);
  const acts = {
    skip: (target, event) => {
      event.preventDefault();
      document.getElementById(target.dataset.to).focus();
    },
    pick: ({ dataset: { column } }, event) => {
      const { draft } = board;
      const between = event?.shiftKey ? board.rail.between(draft.at(-1), column) : [];
      board.draft = between.length ? [...new Set([...draft, ...between])]
        : draft.includes(column) ? draft.filter((it) => it !== column) : [...draft, column];
      board.dock();
    },
    undraft: () => {
      board.draft = [];
      board.dock();
    },
    make: ({ dataset }) => board.add(JSON.parse(dataset.spec)),
    "more-kinds": (target) => open(target, h("div.sug.list", {}, board.offersFor(board.draft).map((it) => offer(board, it, ""))), 280, "More pictures"),
    show: ({ dataset }) => board.commit((state) => {
      state.show = dataset.show;
    }),
    abreast: ({ dataset }) => board.commit((state) => {
      state.abreast = dataset.many;
    }),
    filter: (target) => open(target, filterForm(board, (text) => {
      close();
      filterBy(text);
    }), 320, "A filter"),
    "edit-filter": (target) => open(target, filterForm(board, (text) => {
      close();
      board.commit((state) => {
        changeFilters(state, (all) => all.with(Number(target.dataset.place), { text, on: true }));
      });
    }, filtersOf(board.state())[Number(target.dataset.place)].text), 320, "A filter"),
    "switch-filter": ({ checked, dataset: { place } }) => board.commit((state) => changeFilters(state, (all) => {
      all[Number(place)].on = checked;
    })),
    "new-column": (target) => open(target, columnForm(board, (name, text) => {
      close();
      board.commit((state) => state.assign.push([name, text]));
      notice("Column added. It is part of the link.");
    }), 320, "A new column"),
    "edit-column": (target) => open(target, columnForm(board, (name, text) => {
      close();
      board.commit((state) => {
        state.assign[Number(target.dataset.place)] = [name, text];
      });
    }, Number(target.dataset.place)), 320, "A new column"),
    model: (target) => open(target, modelForm(board, board.add), 360, "A model"),
    "edit-model": (target) => {
      const { spec } = cardAt(target);
      open(target, modelForm(board, (wanted) => board.change(spec, wanted), spec), 360, "A model");
    },
    "drop-column": ({ dataset }) => {
      board.commit((state) => dropColumn(state, Number(dataset.place), [...board.columns.values()]));
      notice("Removed, with all that rests on it. Undo brings it back.");
    },
    unfilter: ({ dataset }) => board.commit((state) =>
      changeFilters(state, (all) => all.toSpliced(Number(dataset.place), 1))),
    "unfilter-last": () => board.commit((state) => {
      if (!state.where.length) state.assign.pop();
      else changeFilters(state, (all) => {
        all.findLast((it) => it.on).on = false;
      });
    }),
    "by-strength": (target) => {
      const { spec } = cardAt(target);
      board.rows.order(board.part, spec).then((columns) => board.change(spec, { columns }), board.failed);
    },
    sort: (target) => {
      const { spec } = cardAt(target);
      const { by } = target.dataset;
      board.switched = { card: placeOf(cardAt(target)), find: `[data-by="${CSS.escape(by)}"]` };
      board.change(spec, { sort: spec.sort === `-${by}` ? by : spec.sort === by ? undefined : `-${by}` });
    },
    keep: () => board.keep(),
    clear: () => board.lights.clear(),
    about: (target) => {
      const card = cardAt(target);
      board.about(board.explained === card ? null : card);
      if (board.explained) board.drawer.querySelector(".ib").focus();
    },
    "close-drawer": () => {
      const card = board.explained;
      board.about(null);
      card?.element.querySelector("[data-act=about]").focus();
    },
    menu: (target) => {
      menuCard = cardAt(target);
      open(target, menuOf(board, menuCard), 300, `More for ${menuCard.title}`);
    },
    kinds: () => openAt(menuCard, kindsOf(board, menuCard.spec), 280, "Kinds for"),
    turn: ({ dataset }) => turn(menuCard, JSON.parse(dataset.spec)),
    instead: (target) => {
      const card = cardAt(target);
      turn(card, board.insteadOf(card.answer().refused).spec);
    },
    words: () => {
      const card = menuCard;
      openAt(card, wordsForm(card.spec, card.title, (given) => change(card, given)), 320, "Words of");
    },
    text: (target) => open(target, wordsForm({ kind: "text" }, "Text", (given) => board.add({ kind: "text", columns: [], ...given })), 320, "A text"),
    rows: (target) => openRows(target, board).catch(board.failed),
    boards: (target) => open(target, boardsForm(board), 340, "Boards"),
    present: () => board.isOverview() || board.present.begin(),
    duplicate: () => edit(menuCard, (cards, i) => cards.splice(i, 0, cards[i])),
    widen: () => change(menuCard, { wide: menuCard.spec.wide ? undefined : true }),
    earlier: () => edit(menuCard, (cards, i) => cards.splice(Math.max(0, i - 1), 0, cards.splice(i, 1)[0])),
    later: () => edit(menuCard, (cards, i) => cards.splice(i + 1, 0, cards.splice(i, 1)[0])),
    remove: () => {
      board.about(null);
      edit(menuCard, (cards, i) => cards.splice(i, 1));
      notice("Removed. Undo brings it back.");
    },
    save: ({ dataset: { form } }) => {
      const { title } = menuCard;
      const saving = save(board, menuCard, form);
      close();
      saving.then((more) => notice(`Saved “${title}” as ${form}.${more}`), board.failed);
    },
    "hand-in": () => openAt(menuCard, handInForm(board, menuCard, close), 320, "Hand in"),
    "ask-data": () => openAt(menuCard, askForm(board, menuCard, close), 320, "Ask the data for"),
    questions: () => openList(questionList(board), 420, "Your questions"),
    outputs: () => openList(outputList(board), 360, "Your outputs"),
    link: () => {
      close();
      copied(linkTo({ ...EMPTY, ...board.part, cards: [menuCard.spec] }), LINK);
    },
    share: () => copied(linkTo(board.state()), LINK),
    "copy-line": (target) => copied(cardAt(target).answer().refused.python, "Line copied."),
    undo: () => board.undo(),
    redo: () => board.redo(),
    rail: () => {
      board.app.classList.toggle("closed");
    },
    sheet: () => {
      const isOpen = document.body.classList.toggle("sheet");
      if (isOpen) board.rail.find.focus();
      else document.querySelector(".opens").focus();
    },
    theme: () => {
      document.documentElement.dataset.theme = board.isDark() ? "light" : "dark";
      how.keepTheme?.(document.documentElement.dataset.theme);
      board.redraw();
    },
    studies: (target) => open(target, studiesTable(board.facts.studies), 480, "Which study has which column"),
    who: (target) => open(target, how.who(), 280, "Your token"),
    "other-token": () => how.otherToken(),
    palette: () => openPalette(board, acts),
    keys: openKeys,
  };
  return acts;
}

const linkTo = (state) => new URL(address(state), location.href).href;
