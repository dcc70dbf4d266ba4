// The section of operations.
import type { OperationVerdict } from '../../judge/verdict/verdict.ts';
import type { Report } from '../report.ts';
import { html, type Markup } from './markup.ts';

/** A tile for each operation, by family. Its state is written out, not only coloured. */
export function operationsSection(report: Report): Markup {
  const families = [...new Set(report.operations.map(({ family }) => family))];
  return html`<section id="operations" aria-labelledby="h-operations">
<h2 id="h-operations">Operations</h2>
${families.map((family) => group(family, report))}
</section>`;
}

/** One family. */
function group(family: string, report: Report): Markup {
  const rows = report.operations.filter((operation) => operation.family === family);
  return html`<h3>${family}</h3><ul class="grid">${rows.map((row) => tile(row, report))}</ul>`;
}

/** One operation. */
function tile(operation: OperationVerdict, report: Report): Markup {
  // Counted by family as well: an operation with two variants has a tile for each.
  const broken = report.requirements.filter(
    ({ verdict, operations, family }) =>
      verdict === 'fail' && operations.includes(operation.id) && family === operation.family,
  ).length;
  const { kind, words } = state(operation, broken);
  return html`<li class="${kind}"><b>${operation.id}</b><span>${`${operation.method} ${operation.path}`}</span><span class="state">${words}</span></li>`;
}

/** State of an operation: class for its colour, and text. */
function state(operation: OperationVerdict, broken: number): { kind: string; words: string } {
  // From the least to the most that is known: a family that is not claimed was not asked for.
  if (!operation.claimed) return { kind: 'none', words: 'not claimed' };
  if (operation.notImplemented) return { kind: 'fail', words: 'not implemented' };
  if (operation.exercised === 0) return { kind: 'untested', words: 'never succeeded' };
  if (broken > 0) return { kind: 'fail', words: `${broken} broken, ${operation.exercised} × 2xx` };
  return { kind: 'pass', words: `${operation.exercised} × 2xx` };
}
