// The section on what of the specification a client used.
import type { OperationUsage, UsedParameter, UsedPart } from '../../judge/verdict/verdict.ts';
import { plural, type Report } from '../report.ts';
import { html, type Markup } from './markup.ts';

/** The map of operations, parameters, listed values and events: used ones with their counts, the others named. Empty without a client. */
export function usageSection({ usage = [] }: Report): Markup {
  if (usage.length === 0) return html``;
  const used = usage.filter(({ requests }) => requests > 0);
  const never = usage.filter(({ requests }) => requests === 0).map(({ subject }) => subject);
  return html`<section id="usage"><details class="fold" open>
<summary><h2>Use by the client <span class="count">${`${used.length} of ${usage.length} operations`}</span></h2></summary>
<table><thead><tr><th scope="col">Operation</th><th scope="col">Requests</th><th scope="col">Used</th><th scope="col">Never used</th></tr></thead>
<tbody>${used.map(row)}</tbody></table>
<p class="facts">${`Never called: ${never.length === 0 ? 'none' : never.join(', ')}.`}</p>
</details></section>`;
}

/** One operation; long lists of what was never used are folded. */
function row(usage: OperationUsage): Markup {
  const { subject, requests, parameters, events } = usage;
  const parts = [...parameters.flatMap(partsOf), ...events.map((event) => named(event, 'event '))];
  const [used, rest] = [parts.filter(({ times }) => times > 0), parts.filter(({ times }) => times === 0)];
  return html`<tr><th scope="row"><code>${subject}</code></th><td>${requests}</td>
<td>${used.map(({ name, times }) => `${name} ×${times}`).join(', ') || 'nothing'}</td>
<td>${rest.length === 0 ? 'nothing' : html`<details><summary>${plural(rest.length, 'part')}</summary>${rest.map(({ name }) => name).join(', ')}</details>`}</td></tr>`;
}

/** A parameter and each of its listed values. */
function partsOf(parameter: UsedParameter): readonly UsedPart[] {
  return [parameter, ...parameter.values.map((value) => named(value, `${parameter.name} = `))];
}

/** A part under a longer name. */
function named({ name, times }: UsedPart, before: string): UsedPart {
  return { name: `${before}${name}`, times };
}
