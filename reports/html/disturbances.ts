// The section on what a client did after answers that were spoiled on purpose.
import { plural, type Report } from '../report.ts';
import { reactionWords } from '../words/disturbed.ts';
import { html, type Markup } from './markup.ts';

/** A row for each disturbance. Empty where none was asked for. */
export function disturbancesSection({ disturbances = [] }: Report): Markup {
  if (disturbances.length === 0) return html``;
  return html`<section id="disturbances"><details class="fold" open>
<summary><h2>Disturbed answers <span class="count">${plural(disturbances.length, 'disturbance')}</span></h2></summary>
<p class="facts">Answers that assay spoiled on purpose, and what the client did then. Findings are judged by client.creations.once and client.streams.whole.</p>
<table><thead><tr><th scope="col">Disturbance</th><th scope="col">Request</th><th scope="col">The client</th></tr></thead>
<tbody>${disturbances.map(row)}</tbody></table></details></section>`;
}

/** One disturbance. */
function row(one: NonNullable<Report['disturbances']>[number]): Markup {
  const { disturbance, request } = one;
  const met =
    request === null
      ? html`<td>none</td><td>sent no request that it fits</td>`
      : html`<td><code>${request}</code></td><td>${reactionWords(one).join(', ')}</td>`;
  return html`<tr><th scope="row"><code>${disturbance}</code></th>${met}</tr>`;
}
