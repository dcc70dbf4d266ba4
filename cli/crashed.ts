import type { RunResult } from '../drive/run.ts';
import { printable } from '../reports/excerpt.ts';

/** Scenarios that broke down through our own fault, a line each. What was thrown may quote the target. */
export function crashedLines({ crashed }: Pick<RunResult, 'crashed'>): string[] {
  return crashed.map(
    ({ scenario, message }) => `defect of assay: scenario ${scenario} broke down: ${printable(message)}`,
  );
}
