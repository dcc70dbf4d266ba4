import type { Exchange } from '../../exchange/exchange.ts';
import { numberOf } from '../../judge/trace/timed.ts';
import { plural } from '../../schemas/message-text.ts';
import type { FailureContext } from '../failure/failure.ts';
import { exchangeEvidence } from './exchange.ts';
import { html, type Markup } from './markup.ts';
import { operationLabel, timelineSection } from './timeline.ts';

const MAX_LINKED = 50;

export interface Traffic {
  /** The id of an exchange, as a link if the page contains the exchange or has room to add it. */
  readonly link: (id: string) => Markup;
  /**
   * Records that a finding shows the exchange. The first call for it returns the HTML id to link to, later ones null.
   */
  readonly show: (exchange: Exchange) => string | null;
  readonly timeline: Markup | null;
  /** Call it after all links exist. */
  readonly exchanges: () => Markup | null;
}

export function createTraffic(context: FailureContext): Traffic {
  const linkedById = new Map<string, Exchange>();
  const shownIds = new Set<string>();
  const linkTo = (id: string) => html`<a href="${`#x:${id}`}">${id}</a>`;
  return {
    link: (id) => {
      if (shownIds.has(id)) return linkTo(id);
      const exchange =
        linkedById.get(id) ?? (linkedById.size < MAX_LINKED ? context.exchange(id) : undefined);
      if (exchange === undefined) return html`${id}`;
      linkedById.set(id, exchange);
      return linkTo(id);
    },
    show: ({ id }) => {
      if (shownIds.has(id)) return null;
      shownIds.add(id);
      return `x:${id}`;
    },
    timeline: timelineSection(context),
    exchanges: () => exchangesSection([...linkedById.values()].filter(({ id }) => !shownIds.has(id))),
  };
}

function exchangesSection(exchanges: readonly Exchange[]): Markup | null {
  if (exchanges.length === 0) return null;
  const ordered = exchanges.toSorted((a, b) => numberOf(a.id) - numberOf(b.id));
  return html`<section id="exchanges"><details class="fold"><summary><h2>Exchanges <span class="count">${`${plural(exchanges.length, 'other')} that this page mentions`}</span></h2></summary>
${ordered.map(
  (
    one,
  ) => html`<details class="exchange" id="${`x:${one.id}`}"><summary><code>${one.id}</code> ${operationLabel(one)} <span class="count">${one.response?.status ?? 'no answer'}</span></summary>
<div class="evidence">${exchangeEvidence(one, [])}</div></details>
`,
)}</details></section>`;
}
