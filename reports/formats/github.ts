import { printable } from '../../exchange/printable.ts';
import { groupBy } from '../../schemas/maps.ts';
import { type BrokenItem, brokenItems } from '../failure/broken-items.ts';
import { distinctFindings, type FailureContext, findingWords } from '../failure/failure.ts';
import { printableReport } from '../printable-report.ts';
import type { Report } from '../report.ts';
import { undecidedForGate } from '../undecided.ts';
import { scoreLine, verdictSentence } from '../verdict-words.ts';

/** GitHub shows at most ten annotations of a level per step. */
const MAX_ANNOTATIONS = 10;

/** GitHub workflow commands: annotations for the verdict, for failures and undecided MUSTs, and for warnings. */
export function githubAnnotations(rawReport: Report, context: Pick<FailureContext, 'exchange'>): string {
  const report = printableReport(rawReport);
  const { exitCode, reasons } = report.summary;
  const annotateAll = (verdict: 'fail' | 'warn') =>
    brokenItems(report)
      .filter(({ first }) => first.verdict === verdict)
      .map((item) => annotate(item, context));
  const undecidedLevel = exitCode === 2 ? 'error' : 'warning';
  const annotations = [
    workflowCommand(
      exitCode === 0 ? 'notice' : 'error',
      `assay: ${verdictSentence(report)}`,
      [...reasons, scoreLine(report)].join('\n'),
    ),
    ...annotateAll('fail'),
    ...undecidedForGate(report).map(({ id, says, reason }) =>
      workflowCommand(undecidedLevel, id, `could not be decided: ${says}\n${reason ?? ''}`),
    ),
    ...annotateAll('warn'),
  ];
  const byLevel = groupBy(annotations, (line) => line.split(' ', 1)[0]);
  const lines = [...byLevel.values()].flatMap((all) => all.slice(0, MAX_ANNOTATIONS));
  return `${lines.join('\n')}\n`;
}

/** The annotation for a command that could not run; few people open the log of a step. */
export function githubError(message: string): string {
  return `${workflowCommand('error', 'assay could not run', message)}\n`;
}

function annotate(
  { first, shape, subject, says, cause }: BrokenItem,
  context: Pick<FailureContext, 'exchange'>,
): string {
  const level = first.verdict === 'warn' ? 'warning' : 'error';
  if (cause !== undefined) {
    const titles = cause.further.filter(({ all }) => all.length > 0).map(({ title }) => title.slice(0, -1));
    return workflowCommand(level, subject, [says, ...titles.map((title) => `${title}.`)].join('\n'));
  }
  const [finding] = distinctFindings(first, context);
  const found = finding === undefined ? '' : `\n${findingWords(finding, 200)} (${finding.exchange})`;
  const intro = shape === null ? '' : `${says}; the first:\n`;
  return workflowCommand(level, subject, `${intro}${first.says}${found}`);
}

function workflowCommand(level: 'error' | 'warning' | 'notice', title: string, message: string): string {
  // Colons and commas end a property of a workflow command.
  const property = escapeData(title).replaceAll(':', '%3A').replaceAll(',', '%2C');
  return `::${level} title=${property}::${message.split('\n').map(printable).map(escapeData).join('%0A')}`;
}

function escapeData(text: string): string {
  return text.replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A');
}
