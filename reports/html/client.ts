import { usedParts } from '../../judge/client/usage.ts';
import type { OperationUsage } from '../../judge/verdict/coverage.ts';
import { plural } from '../../schemas/message-text.ts';
import type { Report } from '../report.ts';
import { reactionWords } from '../words/disturbed.ts';
import { html, type Markup } from './markup.ts';

export function usageSection({ usage = [] }: Report): Markup {
  if (usage.length === 0) return html``;
  const used = usage.filter(({ requests }) => requests > 0);
  const unused = usage.filter(({ requests }) => requests === 0).map(({ subject }) => subject);
  return html`<section id="usage"><details class="fold" open>
<summary><h2>Use by the client <span class="count">${`${used.length} of ${usage.length} operations`}</span></h2></summary>
<table><thead><tr><th scope="col">Operation</th><th scope="col">Requests</th><th scope="col">Used</th><th scope="col">Never used</th></tr></thead>
<tbody>${used.map(operationRow)}</tbody></table>
<p class="facts">${`Never called: ${unused.length === 0 ? 'none' : unused.join(', ')}.`}</p>
</details></section>`;
}

function operationRow(usage: OperationUsage): Markup {
  const { subject, requests } = usage;
  const parts = usedParts(usage);
  const used = parts.filter(({ times }) => times > 0);
  const unused = parts.filter(({ times }) => times === 0);
  return html`<tr><th scope="row"><code>${subject}</code></th><td>${requests}</td>
<td>${used.map(({ name, times }) => `${name} ×${times}`).join(', ') || 'nothing'}</td>
<td>${unused.length === 0 ? 'nothing' : html`<details><summary>${plural(unused.length, 'part')}</summary>${unused.map(({ name }) => name).join(', ')}</details>`}</td></tr>`;
}

export function disturbancesSection({ disturbances = [] }: Report): Markup {
  if (disturbances.length === 0) return html``;
  return html`<section id="disturbances"><details class="fold" open>
<summary><h2>Disturbed answers <span class="count">${plural(disturbances.length, 'disturbance')}</span></h2></summary>
<p class="facts">Responses that assay disturbed on purpose, and what the client did then. The requirements client.creations.once and client.streams.whole judge these reactions.</p>
<table><thead><tr><th scope="col">Disturbance</th><th scope="col">Request</th><th scope="col">The client</th></tr></thead>
<tbody>${disturbances.map(disturbanceRow)}</tbody></table></details></section>`;
}

function disturbanceRow(one: NonNullable<Report['disturbances']>[number]): Markup {
  const { disturbance, request } = one;
  const reaction =
    request === null
      ? html`<td>none</td><td>sent no matching request</td>`
      : html`<td><code>${request}</code></td><td>${reactionWords(one).join(', ')}</td>`;
  return html`<tr><th scope="row"><code>${disturbance}</code></th>${reaction}</tr>`;
}
