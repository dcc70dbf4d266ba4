import { makeBadge } from 'badge-maker';
import { countVerdicts, inScope, type Report, wholeVerdict } from './report.ts';

const COLOUR = { conforms: 'brightgreen', 'does-not-conform': 'red', 'cannot-tell': 'yellow' } as const;

/** Verdict and coverage together: a badge never shows one without the other. */
function message(report: Report): string {
  const { pass, total } = countVerdicts(inScope(report.requirements));
  const { exercised, total: operations } = report.summary.operations;
  return `${wholeVerdict(report)}, ${pass}/${total} requirements, ${exercised}/${operations} operations`;
}

/** For the endpoint badge of shields.io. */
export function badgeJson(report: Report): string {
  const badge = {
    schemaVersion: 1,
    label: 'assay',
    message: message(report),
    color: COLOUR[report.summary.verdict],
    isError: report.summary.verdict === 'cannot-tell',
  };
  return `${JSON.stringify(badge, null, 1)}\n`;
}

export function badgeSvg(report: Report): string {
  return makeBadge({ label: 'assay', message: message(report), color: COLOUR[report.summary.verdict] });
}
