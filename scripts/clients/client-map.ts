import { usedParts } from '../../judge/client/usage.ts';
import type { OperationUsage } from '../../judge/verdict/coverage.ts';
import type { Report } from '../../reports/report.ts';
import { markdownTable } from '../../reports/words/markdown.ts';
import type { RealClient } from './clients.ts';

export interface JudgedClient {
  readonly client: RealClient;
  readonly report: Report;
}

/** The page has no counts of requests: they depend on how often a client polls. */
export function renderClientMap(clients: readonly JudgedClient[]): string {
  const letters = clients.map((_, n) => String.fromCharCode('A'.charCodeAt(0) + n));
  return `# Real clients

The map shows the parts of the specification that the clients below use. \`npm run generate:clients\` writes this page: it runs each session of \`scripts/clients/\` through
\`assay client --dialect openai\`, in front of the embedded reference. A session calls the parts of a library that the specification has; it sends only some parameters, so the library may support one without a letter, too.

${clients.map(({ client }, n) => `- **${letters[n]}** ${client.name}`).join('\n')}

## Findings

Each was compared manually with the specification. Clients that are not named have none.

${markdownTable(
  ['client', 'requirements', 'the client', 'verdict'],
  clients.flatMap(({ client }) => findingRows(client)),
)}

## Beyond the specification

Calls, parameters, fields and values that the specification does not list (choices \`client.calls.beyond\` and \`client.requests.beyond\`).

${beyondLines(clients, letters).join('\n')}

## Operations

${operationTable(clients, letters)}

## Parameters, values and events

For each operation that a client calls: the parts with the clients that use them, then the parts that none uses.

${partLines(clients, letters).join('\n')}
`;
}

function findingRows({ name, findings }: RealClient): readonly (readonly string[])[] {
  return findings.map(({ ids, does, why }) => [name, ids.map((id) => `\`${id}\``).join(', '), does, why]);
}

function beyondLines(clients: readonly JudgedClient[], letters: readonly string[]): readonly string[] {
  const users = new Map<string, string>();
  for (const [n, { report }] of clients.entries()) {
    const alternatives = report.choices
      .filter(({ id }) => ['client.calls.beyond', 'client.requests.beyond'].includes(id))
      .flatMap((choice) => choice.taken);
    for (const name of alternatives.filter((one) => one.startsWith('also ')))
      users.set(name, `${users.get(name) ?? ''}${letters[n]}`);
  }
  return [...users].toSorted().map(([name, who]) => `- \`${name.slice('also '.length)}\` ${who}`);
}

function operationTable(clients: readonly JudgedClient[], letters: readonly string[]): string {
  const rows = subjects(clients).map((subject) => {
    const cells = clients.map(({ report }) => ((usageOf(report, subject)?.requests ?? 0) > 0 ? 'yes' : ''));
    return [subject, ...cells];
  });
  const totals = clients.map(
    ({ report }) => `${(report.usage ?? []).filter(({ requests }) => requests > 0).length}`,
  );
  return markdownTable(['operation', ...letters], [...rows, [`**${rows.length}**`, ...totals]]);
}

function partLines(clients: readonly JudgedClient[], letters: readonly string[]): readonly string[] {
  return subjects(clients).flatMap((subject) => {
    const usages = clients.map(({ report }) => usageOf(report, subject));
    if (usages.every((one) => one === undefined || one.requests === 0)) return [];
    const users = new Map<string, string>();
    usages.forEach((usage, n) => {
      for (const { name, times } of usage === undefined ? [] : usedParts(usage))
        users.set(name, `${users.get(name) ?? ''}${times > 0 ? letters[n] : ''}`);
    });
    if (users.size === 0) return [];
    const used = [...users].filter(([, who]) => who !== '').map(([name, who]) => `\`${name}\` ${who}`);
    const unused = [...users].filter(([, who]) => who === '').map(([name]) => `\`${name}\``);
    return [
      `- **${subject}**: ${used.join(', ') || 'nothing'}${unused.length === 0 ? '' : `. None uses ${unused.join(', ')}`}.`,
    ];
  });
}

function subjects(clients: readonly JudgedClient[]): readonly string[] {
  return (clients[0]?.report.usage ?? []).map(({ subject }) => subject);
}

function usageOf({ usage = [] }: Report, subject: string): OperationUsage | undefined {
  return usage.find((one) => one.subject === subject);
}
