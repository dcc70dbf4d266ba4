// npm run prove:choices [-- SELECTION…]: whole runs on the reference with other permitted alternatives of the choices. Exits with
// 1 if one accuses the reference of breaking a requirement, or does not report an alternative that it takes.
import { readChoices } from '../../cli/choices-flag.ts';
import { accusations, misreported } from './deviations.ts';
import { runWithChoices } from './run-with-choices.ts';

/** The combinations that are tried by default. */
const COMBINATIONS = 20;

const given = process.argv.slice(2);
const seeds = Array.from({ length: COMBINATIONS }, (_, i) => `random:${i + 1}`);
const names = given.length > 0 ? given : ['contrary', ...seeds];
let found = 0;
for (const name of names) {
  const selection = await readChoices(name);
  const began = performance.now();
  const report = await runWithChoices(selection);
  const lines = [...accusations(report), ...misreported(report, selection)];
  found += lines.length;
  const { pass = 0, untested = 0 } = countOf(report.requirements);
  const seconds = Math.round((performance.now() - began) / 1000);
  process.stdout.write(`${name}: ${pass} pass, ${untested} untested, ${lines.length} wrong (${seconds} s)\n`);
  for (const line of lines) process.stdout.write(`  ${line}\n`);
}
process.exitCode = found === 0 ? 0 : 1;

function countOf(requirements: readonly { readonly verdict: string }[]): Readonly<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const { verdict } of requirements) counts[verdict] = (counts[verdict] ?? 0) + 1;
  return counts;
}
