import { usedParts } from '../../judge/client/usage.ts';
import type { OperationUsage } from '../../judge/verdict/coverage.ts';
import { plural } from '../../schemas/message-text.ts';
import type { Report } from '../report.ts';
import { reactionWords } from '../words/disturbed.ts';
import { html, type Markup, type MarkupPart } from './markup.ts';
import { wideTable } from './wide-table.ts';

export function usageSection({ usage = [] }: Report): Markup {
  if (usage.length === 0) return html``;
  const used = usage.filter(({ requests }) => requests > 0);
  const unused = usage.filter(({ requests }) => requests === 0).map(({ subject }) => subject);
  return html`<section id="usage"><details class="fold" open>
<summary><h2>Use by the client <span class="count">${`${used.length} of ${usage.length} operations, variants counted separately`}</span></h2></summary>
${wideTable('Use by the client', ['operation', 'requests', 'used', 'never used'], used.map(operationRow), 'stack')}
<p class="facts">${`Never called: ${unused.length === 0 ? 'none' : unused.join(', ')}.`}</p>
</details></section>`;
}

function operationRow(usage: OperationUsage): readonly MarkupPart[] {
  const { subject, requests } = usage;
  const parts = usedParts(usage);
  const used = parts.filter(({ times }) => times > 0);
  const unused = parts.filter(({ times }) => times === 0);
  return [
    html`<code>${subject}</code>`,
    requests,
    used.map(({ name, times }) => `${name} ×${times}`).join(', ') || 'nothing',
    unused.length === 0
      ? 'nothing'
      : html`<details><summary>${plural(unused.length, 'part')}</summary>${unused.map(({ name }) => name).join(', ')}</details>`,
  ];
}

export function disturbancesSection({ disturbances = [] }: Report): Markup {
  if (disturbances.length === 0) return html``;
  return html`<section id="disturbances"><details class="fold" open>
<summary><h2>Disturbed answers <span class="count">${plural(disturbances.length, 'disturbance')}</span></h2></summary>
<p class="facts">Responses that assay disturbed on purpose, and what the client did then. The requirements client.creations.once and client.streams.whole judge these reactions.</p>
${wideTable('Disturbed answers', ['disturbance', 'request', 'the client'], disturbances.map(disturbanceRow), 'stack')}</details></section>`;
}

function disturbanceRow(one: NonNullable<Report['disturbances']>[number]): readonly MarkupPart[] {
  const { disturbance, request } = one;
  const reaction =
    request === null
      ? ['none', 'sent no matching request']
      : [html`<code>${request}</code>`, reactionWords(one).join(', ')];
  return [html`<code>${disturbance}</code>`, ...reaction];
}
