import type { StateMachineCoverage, Transition } from '../../judge/verdict/coverage.ts';
import { plural } from '../../schemas/message-text.ts';
import type { Report } from '../report.ts';
import { html, type Markup } from './markup.ts';

const BOX = { width: 130, height: 34 };
const COLUMN_WIDTH = 210;
const ROW_HEIGHT = 74;
const MARGIN = 28;
const START_RADIUS = 7;
const START_Y = MARGIN + BOX.height / 2;
const START_GAP = 60;
const UNREACHED_COLUMNS = 4;
/** A section with more machines is folded. */
const MAX_UNFOLDED_MACHINES = 2;

export function statesSection({ states }: Report): Markup {
  const observed = observedMachines(states);
  if (observed.length === 0) return html``;
  return html`<section id="states"><details class="fold"${observed.length <= MAX_UNFOLDED_MACHINES ? html` open` : null}>
<summary><h2>States <span class="count">${plural(observed.length, 'kind')} of objects</span></h2></summary>
<p class="facts">A heavy line was taken, a dashed one is stated and was not seen, a dotted one was seen and is left open by the specification.</p>
<div class="lives">${observed.map(drawMachine)}</div>
</details></section>`;
}

export function observedMachines(states: Report['states']): Report['states'] {
  return states.filter((machine) => machine.states.some(({ seen }) => seen > 0));
}

function drawMachine(machine: StateMachineCoverage): Markup {
  const places = placeBoxes(machine);
  const width = Math.max(...[...places.values()].map(({ x }) => x)) + BOX.width + MARGIN;
  const height = Math.max(...[...places.values()].map(({ y }) => y)) + BOX.height / 2 + MARGIN;
  // Transitions across unobserved states are only listed: as curves they would look like open ones.
  const drawn = machine.ways.filter(({ kind }) => kind !== 'over');
  return html`<figure class="life"><figcaption><b>${machine.name}</b> ${`spec ${machine.spec}`}</figcaption>
<svg viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img" aria-label="${`States of ${machine.name}, listed below`}">
<circle class="start" cx="${MARGIN}" cy="${START_Y}" r="${START_RADIUS}"/>
${drawn.map((transition) => drawTransition(transition, places))}
${machine.states.map((state) => drawState(state, places))}
</svg>
<details><summary>Transitions in words</summary><ul class="ways">${machine.ways.map((transition) => html`<li>${transitionText(transition)}</li>`)}</ul></details></figure>`;
}

/** A point of the drawing. That of a box is the middle of its left edge. */
interface Place {
  readonly x: number;
  readonly y: number;
}

type Places = ReadonlyMap<string, Place>;

/** Places states in one column per step from the start, and states without a stated path below. */
function placeBoxes({ states, ways }: StateMachineCoverage): Places {
  const depth = stepsFromStart(ways);
  const rowsUsed = new Map<number, number>();
  const places = new Map<string, Place>();
  const put = (name: string, column: number, row: number) =>
    places.set(name, { x: MARGIN + START_GAP + column * COLUMN_WIDTH, y: START_Y + row * ROW_HEIGHT });
  for (const { name } of states) {
    const column = depth.get(name);
    if (column === undefined) continue;
    const row = rowsUsed.get(column) ?? 0;
    rowsUsed.set(column, row + 1);
    put(name, column, row);
  }
  const unreached = states.filter(({ name }) => !depth.has(name));
  const below = Math.max(0, ...rowsUsed.values());
  for (const [index, { name }] of unreached.entries())
    put(name, index % UNREACHED_COLUMNS, below + Math.floor(index / UNREACHED_COLUMNS));
  return places;
}

function stepsFromStart(transitions: readonly Transition[]): ReadonlyMap<string, number> {
  const depth = new Map<string | null, number>([[null, -1]]);
  // Breadth first: the map grows while it is iterated.
  for (const [from, steps] of depth) {
    for (const transition of transitions) {
      if (transition.kind === 'stated' && transition.from === from && !depth.has(transition.to))
        depth.set(transition.to, steps + 1);
    }
  }
  return new Map([...depth].flatMap(([name, steps]) => (name === null ? [] : [[name, steps] as const])));
}

function drawState({ name, stated, seen }: StateMachineCoverage['states'][number], places: Places): Markup {
  const { x, y } = places.get(name) ?? { x: 0, y: 0 };
  const kind = `${stated ? 'stated' : 'open'} ${seen > 0 ? 'seen' : 'unseen'}`;
  return html`<g class="${kind}"><rect x="${x}" y="${y - BOX.height / 2}" width="${BOX.width}" height="${BOX.height}" rx="6"/>
<text x="${x + BOX.width / 2}" y="${y + 4}" text-anchor="middle">${name}</text></g>`;
}

/** Draws an arrow from the right edge of a box to the left edge of one farther right, else from its bottom edge. */
function drawTransition(transition: Transition, places: Places): Markup {
  const to = places.get(transition.to);
  // The start counts as a box whose right edge is that of the circle.
  const from =
    transition.from === null
      ? { x: MARGIN + START_RADIUS - BOX.width, y: START_Y }
      : places.get(transition.from);
  if (from === undefined || to === undefined) return html``;
  const seenKind = transition.kind === 'stated' ? 'taken' : 'open';
  const kind = transition.seen > 0 ? seenKind : 'unseen';
  const { path, label, tip } = to.x > from.x ? forwardCurve(from, to) : backwardCurve(from, to);
  return html`<g class="${`way ${kind}`}"><path d="${path}"/><path class="tip" d="${tip}"/>${
    transition.seen === 0
      ? null
      : html`<text x="${label.x}" y="${label.y}" text-anchor="middle">${`${transition.seen}×`}</text>`
  }</g>`;
}

interface Curve {
  readonly path: string;
  readonly tip: string;
  readonly label: Place;
}

function forwardCurve(from: Place, to: Place): Curve {
  const [x1, x2] = [from.x + BOX.width, to.x];
  const middle = (x1 + x2) / 2;
  const up = from.y === to.y && x2 - x1 > COLUMN_WIDTH ? 44 : 0;
  return {
    path: `M${x1} ${from.y}C${middle} ${from.y - up} ${middle} ${to.y - up} ${x2 - 6} ${to.y}`,
    tip: `M${x2} ${to.y}l-8 -4v8z`,
    // The label is nearer to the end, where transitions out of one state have diverged.
    label: { x: x1 + (x2 - x1) * 0.6, y: from.y + (to.y - from.y) * 0.75 - 5 - up * 0.7 },
  };
}

function backwardCurve(from: Place, to: Place): Curve {
  const [x1, x2] = [from.x + BOX.width * 0.75, to.x + BOX.width * 0.25];
  const isDown = to.y > from.y;
  const [y1, y2] = [from.y + BOX.height / 2, isDown ? to.y - BOX.height / 2 : to.y + BOX.height / 2];
  // The y of both control points: below both boxes if the curve returns to the same row or above.
  const low = isDown ? (y1 + y2) / 2 : Math.max(y1, y2) + 22;
  return {
    path: `M${x1} ${y1}C${x1} ${low} ${x2} ${low} ${x2} ${isDown ? y2 - 6 : y2 + 6}`,
    tip: isDown ? `M${x2} ${y2}l-4 -8h8z` : `M${x2} ${y2}l-4 8h8z`,
    label: { x: (x1 + x2) / 2, y: low - 3 },
  };
}

function transitionText({ from, to, kind, seen }: Transition): string {
  const words = `${from ?? 'new'} → ${to}`;
  if (seen === 0) return `${words}: stated, not seen`;
  const times = `seen ${plural(seen, 'time')}`;
  if (kind === 'stated') return `${words}: ${times}`;
  return `${words}: ${times}, ${kind === 'over' ? 'states in between were not observed' : 'left open by the specification'}`;
}
