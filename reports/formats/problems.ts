// One line per failure in the form of compilers: `file:line:column: error: message`, for VS Code's `$gcc`
// matcher and Vim's quickfix list. The file is the OpenAPI document of the package.

import { briefJson } from '../../exchange/printable.ts';
import type { RequirementVerdict } from '../../judge/verdict/verdict.ts';
import { printableReport } from '../printable-report.ts';
import { type Report, unexcusedRequirements } from '../report.ts';
import { openApiFile, operationLine } from './openapi-lines.ts';

const SHOWN = 120;

export function problemLines(given: Report): string {
  const report = printableReport(given);
  const lines = (['fail', 'warn'] as const).flatMap((verdict) =>
    unexcusedRequirements(report, verdict).map((one) =>
      problemLine(one, verdict === 'fail' ? 'error' : 'warning'),
    ),
  );
  return lines.map((line) => `${line}\n`).join('');
}

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
