import { readFileSync, statSync, writeFileSync } from 'node:fs';
import {
  applyBaseline,
  type Baseline,
  BaselineError,
  type BaselineOutcome,
  makeBaseline,
  readBaseline,
  UNFILLED,
} from '../judge/baseline.ts';
import type { Judgement } from '../judge/verdict.ts';
import { plural } from '../reports/report.ts';

/** The baseline that a command was given, and where it is to write a new one. */
export interface KnownFailures {
  readonly baseline: Baseline | null;
  readonly write: string | null;
}

/** Reads the baseline at once, so that a bad one is told before anything is driven. Throws BaselineError. */
export function knownFailures(path: string | null, write: string | undefined): KnownFailures {
  const baseline = path === null ? null : readBaseline(textOf(path), path);
  return { baseline, write: write ?? null };
}

/** Lays the baseline over a judgement, and writes the new one where it was asked for. */
export function overlay(judgement: Judgement, { baseline, write }: KnownFailures): BaselineOutcome {
  if (write !== null) {
    const made = makeBaseline(judgement, baseline);
    writeFileSync(write, `${JSON.stringify(made, null, 2)}\n`);
    const open = made.known.filter(({ reason }) => reason === UNFILLED).length;
    process.stderr.write(
      `${write}: ${plural(made.known.length, 'known failure')}, ${plural(open, 'reason')} to be filled in\n`,
    );
  }
  if (baseline === null) return { judgement, problems: [] };
  return applyBaseline(judgement, baseline, new Date().toISOString().slice(0, 10));
}

/** Reading a folder fails without a word of which. */
function textOf(path: string): string {
  if (statSync(path).isDirectory())
    throw new BaselineError(`${path} is a directory; --baseline takes the file of a baseline.`);
  return readFileSync(path, 'utf8');
}
