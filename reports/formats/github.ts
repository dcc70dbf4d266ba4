// Annotations of GitHub Actions.
import type { RequirementVerdict } from '../../judge/verdict/verdict.ts';
import { briefJson, printable } from '../failure/excerpt.ts';
import { type Report, scoreLine, unexcusedRequirements, verdictSentence } from '../report.ts';
import { printableReport } from './printable-report.ts';

/** GitHub shows ten annotations of a step. */
const SHOWN = 10;

/** Workflow commands: an annotation per broken requirement, and one for the verdict. */
export function githubAnnotations(given: Report): string {
  const report = printableReport(given);
  const level = { conforms: 'notice', 'does-not-conform': 'error', 'cannot-tell': 'warning' } as const;
  const lines = [
    command(level[report.summary.verdict], `assay: ${verdictSentence(report)}`, scoreLine(report)),
    ...unexcusedRequirements(report, 'fail')
      .slice(0, SHOWN)
      .map((one) => command('error', one.id, words(one))),
    ...unexcusedRequirements(report, 'warn')
      .slice(0, SHOWN)
      .map((one) => command('warning', one.id, words(one))),
  ];
  return `${lines.join('\n')}\n`;
}

/** The sentence and the first finding. */
function words({ says, findings }: RequirementVerdict): string {
  const [finding] = findings;
  if (finding === undefined) return says;
  const { at, expected, actual, exchange } = finding;
  return `${says}\nat ${at || 'the whole body'}: expected ${expected}, actual ${briefJson(actual, 200)} (${exchange})`;
}

/** A workflow command. */
function command(level: 'error' | 'warning' | 'notice', title: string, message: string): string {
  // Colons and commas end a property of a workflow command, though not its message.
  const property = data(title).replaceAll(':', '%3A').replaceAll(',', '%2C');
  return `::${level} title=${property}::${message.split('\n').map(printable).map(data).join('%0A')}`;
}

/** Escapes of the data of workflow commands. */
function data(text: string): string {
  return text.replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A');
}
