// `npm run generate:reliance` writes docs/client-reliance.md: what clients return for broken answers. With `--print`
// it writes to stdout; `--sample NUMBER` tries only every third requirement, starting at NUMBER modulo 3.
import { writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { mutationKindsOf } from '../../proof/mutants/mutants.ts';
import { catalogue } from '../../suites/index.ts';
import { ASKING_CLIENTS } from './asking-clients.ts';
import { askAllQuestions, describeDamage } from './broken-answers.ts';

const { values } = parseArgs({ options: { print: { type: 'boolean' }, sample: { type: 'string' } } });
const page = await reliancePage();
if (values.print === true) process.stdout.write(page);
else writeFileSync('docs/client-reliance.md', page);

async function reliancePage(): Promise<string> {
  const correct = [];
  for (const client of ASKING_CLIENTS) correct.push(await askAllQuestions(client));
  const rows: string[] = [];
  for (const { id, says, changes } of await selectedRequirements()) {
    rows.push(`## \`${id}\``, '', says, '', '| change | client | returns |', '| --- | --- | --- |');
    for (const change of changes) {
      for (const [i, client] of ASKING_CLIENTS.entries()) {
        const damage = describeDamage(correct[i] ?? {}, await askAllQuestions(client, `${id}/${change}`));
        if (damage !== null) rows.push(`| ${change} | ${client.name} | ${damage} |`);
      }
    }
    rows.push('');
  }
  return `# What clients rely on

The specification leaves some points open that widely used clients do not: where a service differs there, they lose or garble data. A requirement on such a point has the basis \`clients\`. \`npm run generate:reliance\`
writes this page: it puts each change of such a requirement into the answers of the reference (\`assay serve --fault REQUIREMENT/CHANGE\`), sends the same requests through ${ASKING_CLIENTS.map(({ name }) => name).join(', ')}, and notes the
first value that differs from the one that the same client returns for a correct answer. A client without a row tolerates the change, or has no call for the request: \`ai\` and \`@langchain/openai\` send only chats without results of tools. A test checks that the page matches the clients, and that breaking each requirement affects at least one of them.

${rows.join('\n').trim()}
`;
}

async function selectedRequirements() {
  const { requirementSets } = await catalogue();
  const requirements = requirementSets.flatMap((set) =>
    set.requirements
      .filter(({ basis }) => basis === 'clients')
      .map(({ id, says }) => ({ id, says, changes: mutationKindsOf(set, id) })),
  );
  return requirements
    .toSorted((a, b) => (a.id < b.id ? -1 : 1))
    .filter((_, n) => values.sample === undefined || n % 3 === Number(values.sample) % 3);
}
