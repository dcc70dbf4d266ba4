// One line for each failure, in the form of compilers: `file:line:column: error: message`. Editors make problems of such lines: the
// matcher `$gcc` of VS Code, the quickfix list of Vim. The file is the description of the operations, which lies in the package.
import type { RequirementVerdict } from '../../judge/verdict/verdict.ts';
import { briefJson } from '../../schemas/excerpt.ts';
import { printableReport } from '../printable-report.ts';
import { type Report, unexcusedRequirements } from '../report.ts';
import { openApiFile, operationLine } from './openapi-lines.ts';

/** Characters of an actual value that a line shows. */
const SHOWN = 120;

/** The failures as errors and the warnings as warnings; empty where there are none. */
export function problemLines(given: Report): string {
  const report = printableReport(given);
  const lines = (['fail', 'warn'] as const).flatMap((verdict) =>
    unexcusedRequirements(report, verdict).map((one) =>
      problemLine(one, verdict === 'fail' ? 'error' : 'warning'),
    ),
  );
  return lines.map((line) => `${line}\n`).join('');
}

/** The first finding stands for the others. */
function problemLine(
  { id, says, operations, findings }: RequirementVerdict,
  level: 'error' | 'warning',
): string {
  const [finding] = findings;
  const place =
    finding === undefined
      ? ''
      : ` At ${finding.at || 'the whole body'}: expected ${finding.expected}, actual ${briefJson(finding.actual, SHOWN)} (${finding.exchange}).`;
  return `${openApiFile()}:${operationLine(operations[0])}:1: ${level}: ${says}${place} [${id}]`;
}
