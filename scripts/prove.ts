// `npm run prove -- CASSETTE [--out FILE]`: breaks a green trace in every way, and changes it in every benign way.
// Exits 1 where a requirement sleeps or accuses the innocent, 2 where nothing can be proved.
import { writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { readTrace } from '../exchange/cassette/read.ts';
import { NotGreen, type Proof, prove } from '../judge/proof/prove.ts';
import { catalogue } from '../suites/index.ts';

const { values, positionals } = parseArgs({ options: { out: { type: 'string' } }, allowPositionals: true });
const [cassette = 'assay-report/cassette'] = positionals;

try {
  const proof = prove(await catalogue(), await readTrace(cassette));
  if (values.out !== undefined) writeFileSync(values.out, `${JSON.stringify(proof, null, 1)}\n`);
  console.log(summary(proof).join('\n'));
  process.exitCode = proof.survived.length + proof.accused.length > 0 ? 1 : 0;
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  if (error instanceof NotGreen) console.error('Record a trace of a target that conforms: npm start');
  process.exitCode = 2;
}

function summary({
  mutants,
  killed,
  survived,
  benign,
  accused,
  idle,
  requirements,
  unproved,
}: Proof): string[] {
  return [
    ...survived.map(({ requirement, mutant, why }) => `asleep    ${requirement}  ${mutant}: ${why}`),
    ...accused.map(({ requirement, change, why }) => `accuses   ${requirement}  ${change}: ${why}`),
    ...idle.map((change) => `idle      ${change}: the trace has nothing that it changes`),
    `${killed} of ${mutants} mutants killed, ${survived.length} survived; ` +
      `${benign} benign changes, ${accused.length} accused`,
    `${Object.keys(requirements).length} requirements proved, ${unproved.length} without evidence in ${cassette}`,
  ];
}
