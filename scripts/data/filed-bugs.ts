import { generalEquivalentMutants } from '../../proof/equivalent-mutants/general.ts';
import { knownFaults } from '../../reference/faults/known.ts';
import { markdownTable } from '../../reports/words/markdown.ts';
import { catalogue } from '../../suites/index.ts';

const HEAD = `# Filed bugs

Bugs of servers, gateways and clients of this API are reported in public. The first table has the reports of behaviour that violates the specification; each is a fault of the
reference, and \`cli/faults.proof.test.ts\` checks that the scenarios of the named requirement reveal it. Inject one with \`npx assay serve --fault NAME\`.
The second table has reports of behaviour that the specification allows; each is an equivalent mutant (see [proof.md](proof.md)), and no requirement may fail on it.

A number is that of an issue or of a pull request. \`npm run generate\` writes this page from the declarations.
`;

export async function renderFiledBugs(): Promise<string> {
  const faults = knownFaults.flatMap(({ id, says, filed, requirement }) =>
    filed === undefined ? [] : [[code(id), capitalizeCell(says), reportLink(filed), code(requirement ?? '')]],
  );
  const mutants = [...generalEquivalentMutants('Vendor-Beta'), ...(await catalogue()).equivalentMutants];
  const differences = mutants.flatMap(({ name, filed }) =>
    filed === undefined ? [] : [[capitalizeCell(name), reportLink(filed)]],
  );
  return [
    HEAD,
    `## Faults: ${faults.length}\n`,
    `${markdownTable(['fault', 'behaviour', 'report', 'caught by'], sortRows(faults))}\n`,
    `## Harmless differences: ${differences.length}\n`,
    `${markdownTable(['behaviour', 'report'], sortRows(differences))}\n`,
  ].join('\n');
}

/** Sorts rows by the first column, so that a new row does not move the others. */
function sortRows(rows: readonly (readonly string[])[]): readonly (readonly string[])[] {
  return rows.toSorted(([a = ''], [b = '']) => (a < b ? -1 : 1));
}

function capitalizeCell(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}`.replaceAll('|', '\\|');
}

function code(text: string): string {
  return `\`${text}\``;
}

/** Links to an issue; GitHub redirects to the pull request if the number is that of one. */
function reportLink(filed: string): string {
  const [repository, number] = filed.split('#');
  return `[${filed}](https://github.com/${repository}/issues/${number})`;
}
