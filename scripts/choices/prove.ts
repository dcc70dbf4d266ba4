// npm run prove:choices -- [SELECTION…] | --each GLOB: runs against the reference with other permitted alternatives of
// choices. Exits with 1 if a report accuses the reference of breaking a requirement, leaves a MUST undecided, has an
// exit code other than 0 or, for a whole run, does not show an alternative that the reference takes.
import { readChoices } from '../../cli/options/choices.ts';
import { matchesGlob } from '../../exchange/glob.ts';
import { choiceTable } from '../../reference/choices/table.ts';
import { catalogue } from '../../suites/index.ts';
import { parseScriptArguments, rejectArguments } from '../script-arguments.ts';
import { runWithChoices } from './run-with-choices.ts';
import { misreportedChoices, shortcomings } from './shortcomings.ts';

const USAGE = 'npm run prove:choices -- [SELECTION…] | --each GLOB';
const RANDOM_COMBINATIONS = 50;

const { values, positionals } = parseScriptArguments(
  {
    /** A glob of choice ids: each unusual alternative is tried alone, as `listSingleAlternatives` describes. */
    each: { type: 'string' },
  },
  USAGE,
);
if (values.each !== undefined && positionals.length > 0)
  rejectArguments('--each takes no selections.', USAGE);
const trials = values.each === undefined ? listCombinations() : await listSingleAlternatives(values.each);
if (trials.length === 0) rejectArguments(`--each ${values.each} matches no choice with alternatives.`, USAGE);
let problemCount = 0;
for (const { name, filter } of trials) {
  const selection = await readChoices(name);
  const began = performance.now();
  const report = await runWithChoices(selection, filter);
  // Only a whole run is certain to show every alternative.
  const isWhole = Object.keys(filter).length === 0;
  const lines = [...shortcomings(report), ...(isWhole ? misreportedChoices(report, selection) : [])];
  problemCount += lines.length;
  const count = (verdict: string) => report.requirements.filter((row) => row.verdict === verdict).length;
  const seconds = Math.round((performance.now() - began) / 1000);
  process.stdout.write(
    `${name}: ${count('pass')} pass, ${count('untested')} untested, ${lines.length} problems (${seconds} s)\n`,
  );
  for (const line of lines) process.stdout.write(`  ${line}\n`);
}
process.exitCode = problemCount === 0 ? 0 : 1;

interface Trial {
  /** A value of `assay serve --choices`. */
  readonly name: string;
  /** Flags of `assay run` that select scenarios. */
  readonly filter: Readonly<Record<string, string>>;
}

function listCombinations(): readonly Trial[] {
  const seeds = Array.from({ length: RANDOM_COMBINATIONS }, (_, i) => `random:${i + 1}`);
  const names = positionals.length > 0 ? positionals : ['contrary', ...seeds];
  return names.map((name) => ({ name, filter: {} }));
}

/**
 * Each unusual alternative alone, with the scenarios of its family and of families that show the choice; with all
 * scenarios if its family has none.
 */
async function listSingleAlternatives(glob: string): Promise<readonly Trial[]> {
  const { scenarios } = await catalogue();
  return Object.entries(choiceTable)
    .filter(([id]) => matchesGlob(glob, id))
    .flatMap(([id, { others }]) => {
      const showingFamilies = scenarios
        .filter(({ shows }) => shows?.has(id))
        .map(({ name }) => familyOf(name));
      const families = new Set([familyOf(id), ...showingFamilies]);
      const names = scenarios.map(({ name }) => name).filter((name) => families.has(familyOf(name)));
      const hasOwn = names.some((name) => familyOf(name) === familyOf(id));
      const filter: Trial['filter'] = hasOwn ? { scenario: names.join(',') } : {};
      return Object.keys(others).map((other) => ({ name: `${id}=${other}`, filter }));
    });
}

function familyOf(name: string): string {
  return name.slice(0, name.indexOf('.')).replace(/-v\d$/, '');
}
