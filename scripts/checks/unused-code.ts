// Files, exports and dependencies that are not in use, as knip finds them. Its entries are in knip.json.
import { spawnSync } from 'node:child_process';
import type { CheckResult, SourceProblem } from './problem.ts';

/** The fields of the output of knip's JSON reporter that are read here. */
interface KnipReport {
  readonly issues: readonly KnipFile[];
}

/** Lists of issues by kind beside the name of the file. */
type KnipFile = { readonly file: string } & Readonly<Partial<Record<string, readonly KnipIssue[] | string>>>;

/** A name that is not in use, and its line where knip knows it. */
interface KnipIssue {
  readonly name: string;
  readonly line?: number;
}

/** Advice by kind of issue; others have a common one. */
const ADVICE: Readonly<Record<string, string>> = {
  files: 'Delete the file, or import it where it is needed; entries are in knip.json.',
  exports: 'Remove the word export, or the whole declaration where the file does not use it either.',
};

/** Runs knip in the folder. Throws an Error with its output when it cannot run. */
export function unusedCode(root: string): CheckResult {
  const { stdout, stderr } = spawnSync(
    'npx',
    ['--no-install', 'knip', '--no-progress', '--reporter', 'json'],
    {
      cwd: root,
      encoding: 'utf8',
      maxBuffer: 64 * 1024 * 1024,
    },
  );
  // knip exits with 1 where it finds something, so its exit code does not show whether it ran.
  if (!stdout.startsWith('{')) throw new Error(`knip did not run: ${stderr || stdout}`);
  const { issues } = JSON.parse(stdout) as KnipReport; // as: the format of knip's JSON reporter
  return { violations: issues.flatMap(problemsOf) };
}

/** The issues of one file; knip groups them by kind. */
function problemsOf(issue: KnipFile): readonly SourceProblem[] {
  return Object.entries(issue).flatMap(([kind, found]) =>
    typeof found === 'string' || found === undefined
      ? []
      : found.map(({ name, line = 1 }) => ({
          file: issue.file,
          line,
          problem: `${name} is not in use (knip: ${kind})`,
          advice:
            ADVICE[kind] ??
            'Remove it from package.json, or name it in knip.json with a reason in the commit.',
        })),
  );
}
