// The examples of `assay explain`.
import type { Example } from '../../proof/example.ts';
import { failureText } from './failure.ts';
import { wireLines } from './wire.ts';

/** A passing and a failing example as lines for a terminal `width` columns wide. */
export function exampleLines(found: Example | null, width: number): string {
  if (found === null) return '\n  The embedded reference shows no evidence for it.\n';
  const { passing, failing } = found;
  const blocks = [['example that passes', ...indented(wireLines(passing, [], Math.max(width - 6, 40)))]];
  if (failing !== null) {
    const text = failureText(failing.verdict, {
      exchange: (id) => failing.exchanges.find((exchange) => exchange.id === id),
      again: () => '',
      claiming: () => '',
      baseUrl: null,
      keyVariable: '',
      cassette: null,
      source: () => null,
      width,
    });
    const [finding] = text.findings;
    const details =
      finding === undefined
        ? []
        : [`at        ${finding.at}`, `expected  ${finding.expected}`, `actual    ${finding.actual}`, ''];
    blocks.push([
      `example that fails: ${failing.broken}`,
      ...indented([...details, ...(text.wire[0] ?? [])]),
    ]);
  }
  return blocks.map((lines) => `\n  ${lines.join('\n')}\n`).join('');
}

/** Lines below a heading, after an empty one. */
function indented(lines: readonly string[]): string[] {
  return ['', ...lines].map((line) => (line === '' ? '' : `    ${line}`));
}
