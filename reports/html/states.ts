// The section of state machines, drawn as SVG.
import type { StateMachineCoverage, Transition } from '../../judge/verdict/verdict.ts';
import { plural, type Report } from '../report.ts';
import { html, type Markup } from './markup.ts';

/** Sizes in units of the drawing, one pixel by default. */
const BOX = { width: 130, height: 34 };
const COLUMN = 210;
const ROW = 74;
const MARGIN = 28;
const START = 7;
/** Drawings with which the section is open when the page opens. */
const OPEN = 2;

/** The state machines of the specification, with the observed transitions. */
export function statesSection({ states }: Report): Markup {
  const met = metMachines(states);
  if (met.length === 0) return html``;
  return html`<section id="states"><details class="fold"${met.length <= OPEN ? html` open` : null}>
<summary><h2>States <span class="count">${plural(met.length, 'kind')} of objects</span></h2></summary>
<p class="facts">A heavy line was taken, a dashed one is stated and was not seen, a dotted one was seen and is left open by the specification.</p>
<div class="lives">${met.map(figure)}</div>
</details></section>`;
}

/** The state machines of objects that the traffic shows. */
export function metMachines(states: Report['states']): Report['states'] {
  return states.filter((machine) => machine.states.some(({ seen }) => seen > 0));
}

/** One state machine: drawing, and the same as a list for readers that cannot see it. */
function figure(machine: StateMachineCoverage): Markup {
  const places = layout(machine);
  // The drawing is as large as its boxes need; curves stay within the margin.
  const wide = Math.max(...[...places.values()].map(({ x }) => x)) + BOX.width + MARGIN;
  const high = Math.max(...[...places.values()].map(({ y }) => y)) + BOX.height / 2 + MARGIN;
  // Transitions over unobserved states are in the list only: as curves they would look like stated ones.
  const drawn = machine.ways.filter(({ kind }) => kind !== 'over');
  return html`<figure class="life"><figcaption><b>${machine.name}</b> ${`spec ${machine.spec}`}</figcaption>
<svg viewBox="0 0 ${wide} ${high}" width="${wide}" height="${high}" role="img" aria-label="${`States of ${machine.name}, listed below`}">
<circle class="start" cx="${MARGIN}" cy="${START_Y}" r="${START}"/>
${drawn.map((transition) => arrow(transition, places))}
${machine.states.map((state) => box(state, places))}
</svg>
<details><summary>Transitions in words</summary><ul class="ways">${machine.ways.map((transition) => html`<li>${transitionText(transition)}</li>`)}</ul></details></figure>`;
}

/** Position of a box. */
interface Place {
  /** Left edge. */
  readonly x: number;
  /** Middle. */
  readonly y: number;
}

/** Middle of the first row. */
const START_Y = MARGIN + BOX.height / 2;

/** A column for each step from the start. States without a stated path to them are placed below. */
function layout({ states, ways }: StateMachineCoverage): ReadonlyMap<string, Place> {
  const depth = depths(ways);
  const taken = new Map<number, number>();
  const places = new Map<string, Place>();
  const put = (name: string, column: number) => {
    const row = taken.get(column) ?? 0;
    taken.set(column, row + 1);
    places.set(name, { x: MARGIN + 60 + column * COLUMN, y: START_Y + row * ROW });
  };
  for (const { name } of states) {
    const column = depth.get(name);
    if (column !== undefined) put(name, column);
  }
  // States that the specification names without a path, and those that only the target has shown.
  const rest = states.filter(({ name }) => !depth.has(name));
  const below = Math.max(0, ...taken.values());
  for (const [index, { name }] of rest.entries()) {
    const row = below + Math.floor(index / 4);
    places.set(name, { x: MARGIN + 60 + (index % 4) * COLUMN, y: START_Y + row * ROW });
  }
  return places;
}

/** Steps of the shortest stated path to each state. */
function depths(transitions: readonly Transition[]): ReadonlyMap<string, number> {
  const depth = new Map<string | null, number>([[null, -1]]);
  // A map that grows while it is walked, nearest first.
  for (const [from, steps] of depth) {
    for (const transition of transitions) {
      if (transition.kind === 'stated' && transition.from === from && !depth.has(transition.to))
        depth.set(transition.to, steps + 1);
    }
  }
  return new Map([...depth].flatMap(([name, steps]) => (name === null ? [] : [[name, steps] as const])));
}

/** A state. */
function box(
  { name, stated, seen }: StateMachineCoverage['states'][number],
  places: ReadonlyMap<string, Place>,
): Markup {
  const { x, y } = places.get(name) ?? { x: 0, y: 0 };
  // Classes for the style sheet; the same facts are in the list below the drawing.
  const kind = `${stated ? 'stated' : 'open'} ${seen > 0 ? 'seen' : 'unseen'}`;
  return html`<g class="${kind}"><rect x="${x}" y="${y - BOX.height / 2}" width="${BOX.width}" height="${BOX.height}" rx="6"/>
<text x="${x + BOX.width / 2}" y="${y + 4}" text-anchor="middle">${name}</text></g>`;
}

/** A curve from the right edge of one box to the left edge of the other; transitions backwards pass below. */
function arrow(transition: Transition, places: ReadonlyMap<string, Place>): Markup {
  const to = places.get(transition.to);
  const from =
    transition.from === null ? { x: MARGIN + START - BOX.width, y: START_Y } : places.get(transition.from);
  if (from === undefined || to === undefined) return html``;
  const kind = transition.seen > 0 ? (transition.kind === 'stated' ? 'taken' : 'open') : 'unseen';
  const { path, label, tip } = to.x > from.x ? forth(from, to) : back(from, to);
  return html`<g class="${`way ${kind}`}"><path d="${path}"/><path class="tip" d="${tip}"/>${
    transition.seen === 0
      ? null
      : html`<text x="${label.x}" y="${label.y}" text-anchor="middle">${`${transition.seen}×`}</text>`
  }</g>`;
}

/** A drawn transition: path, arrow head, place of its label. */
interface Curve {
  readonly path: string;
  readonly tip: string;
  readonly label: Place;
}

/** A curve to a column further right. It bows upwards where a box lies between. */
function forth(from: Place, to: Place): Curve {
  const [x1, x2] = [from.x + BOX.width, to.x];
  const middle = (x1 + x2) / 2;
  // Over what stands between on the same line.
  // 44 units clear a box of the same row.
  const up = from.y === to.y && x2 - x1 > COLUMN ? 44 : 0;
  return {
    path: `M${x1} ${from.y}C${middle} ${from.y - up} ${middle} ${to.y - up} ${x2 - 6} ${to.y}`,
    tip: `M${x2} ${to.y}l-8 -4v8z`,
    // Nearer to its end, where ways from one state lie apart.
    label: { x: x1 + (x2 - x1) * 0.6, y: from.y + (to.y - from.y) * 0.75 - 5 - up * 0.7 },
  };
}

/** A curve to the same or an earlier column, from the lower edge of one box to the other. */
function back(from: Place, to: Place): Curve {
  const [x1, x2] = [from.x + BOX.width * 0.75, to.x + BOX.width * 0.25];
  const isDown = to.y > from.y;
  const [y1, y2] = [from.y + BOX.height / 2, isDown ? to.y - BOX.height / 2 : to.y + BOX.height / 2];
  // The lowest point of the curve, below both boxes where it returns to the same row or above.
  const low = isDown ? (y1 + y2) / 2 : Math.max(y1, y2) + 22;
  return {
    path: `M${x1} ${y1}C${x1} ${low} ${x2} ${low} ${x2} ${isDown ? y2 - 6 : y2 + 6}`,
    tip: isDown ? `M${x2} ${y2}l-4 -8h8z` : `M${x2} ${y2}l-4 8h8z`,
    label: { x: (x1 + x2) / 2, y: low - 3 },
  };
}

/** A transition in words. */
function transitionText({ from, to, kind, seen }: Transition): string {
  // `new` stands for an object that does not exist yet.
  const words = `${from ?? 'new'} → ${to}`;
  if (seen === 0) return `${words}: stated, not seen`;
  const times = `seen ${plural(seen, 'time')}`;
  if (kind === 'stated') return `${words}: ${times}`;
  return `${words}: ${times}, ${kind === 'over' ? 'states between were not looked at' : 'left open by the specification'}`;
}
