// npm run prove:choices [-- SELECTION…] [--tenth REVISION]: runs against the reference with other permitted alternatives of choices.
// Exits with 1 if one accuses the reference of breaking a requirement, or does not report an alternative that it takes.
import { readChoices } from '../../cli/options/flag-values.ts';
import { scriptArguments } from '../words.ts';
import { accusations, misreported, runWithChoices } from './run-with-choices.ts';

const COMBINATIONS = 20;
/** With `--tenth`, each random combination runs a tenth of the scenarios, so twenty of them run each scenario twice. */
const PARTS = 10;

const { values, positionals } = scriptArguments(
  /** A revision in hexadecimal, which selects the first tenth, so that each commit tries another one. */
  { tenth: { type: 'string' } },
  'npm run prove:choices -- [SELECTION…] [--tenth REVISION]',
);
const seeds = Array.from({ length: COMBINATIONS }, (_, i) => `random:${i + 1}`);
const names = positionals.length > 0 ? positionals : ['contrary', ...seeds];
const first = values.tenth === undefined ? null : Number.parseInt(values.tenth.slice(0, 6), 16) || 0;
let found = 0;
for (const [place, name] of names.entries()) {
  const selection = await readChoices(name);
  const began = performance.now();
  const shard = first === null || name === 'contrary' ? null : `${((first + place) % PARTS) + 1}/${PARTS}`;
  const report = await runWithChoices(selection, shard === null ? {} : { shard });
  // Only a whole run is sure to show every alternative.
  const lines = [...accusations(report), ...(shard === null ? misreported(report, selection) : [])];
  found += lines.length;
  const { pass = 0, untested = 0 } = countOf(report.requirements);
  const seconds = Math.round((performance.now() - began) / 1000);
  const what = shard === null ? name : `${name}, ${shard} of the scenarios`;
  process.stdout.write(`${what}: ${pass} pass, ${untested} untested, ${lines.length} wrong (${seconds} s)\n`);
  for (const line of lines) process.stdout.write(`  ${line}\n`);
}
process.exitCode = found === 0 ? 0 : 1;

function countOf(requirements: readonly { readonly verdict: string }[]): Readonly<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const { verdict } of requirements) counts[verdict] = (counts[verdict] ?? 0) + 1;
  return counts;
}
