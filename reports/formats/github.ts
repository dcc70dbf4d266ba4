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
const MAX_ACTUAL_LENGTH = 200;

interface Annotation {
  readonly level: 'error' | 'warning' | 'notice';
  readonly title: string;
  readonly message: string;
}

export function githubAnnotations(rawReport: Report, context: Pick<FailureContext, 'exchange'>): string {
  const report = printableReport(rawReport);
  const { exitCode, reasons } = report.summary;
  const annotateAll = (verdict: 'fail' | 'warn') =>
    brokenItems(report)
      .filter(({ first }) => first.verdict === verdict)
      .map((item) => annotate(item, context));
  const undecidedLevel = exitCode === 2 ? 'error' : 'warning';
  const annotations: readonly Annotation[] = [
    {
      level: exitCode === 0 ? 'notice' : 'error',
      title: `assay: ${verdictSentence(report)}`,
      message: [...reasons, scoreLine(report)].join('\n'),
    },
    ...annotateAll('fail'),
    ...undecidedForGate(report).map(({ id, says, reason }): Annotation => {
      const message = `could not be decided: ${says}\n${reason ?? ''}`;
      return { level: undecidedLevel, title: id, message };
    }),
    ...annotateAll('warn'),
  ];
  const byLevel = groupBy(annotations, ({ level }) => level);
  const shown = [...byLevel.values()].flatMap((sameLevel) => sameLevel.slice(0, MAX_ANNOTATIONS));
  return shown.map(workflowCommand).join('');
}

/** The annotation for a command that could not run, because few people open the log of a step. */
export function githubError(message: string): string {
  return workflowCommand({ level: 'error', title: 'assay could not run', message });
}

function annotate(
  { first, shape, subject, says, cause }: BrokenItem,
  context: Pick<FailureContext, 'exchange'>,
): Annotation {
  const level = first.verdict === 'warn' ? 'warning' : 'error';
  if (cause !== undefined) {
    const further = cause.further.filter(({ requirements }) => requirements.length > 0);
    return { level, title: subject, message: [says, ...further.map(({ title }) => `${title}.`)].join('\n') };
  }
  const [finding] = distinctFindings(first, context);
  const findingLine =
    finding === undefined ? '' : `\n${findingWords(finding, MAX_ACTUAL_LENGTH)} (${finding.exchange})`;
  const intro = shape === null ? '' : `${says}; the first:\n`;
  return { level, title: subject, message: `${intro}${first.says}${findingLine}` };
}

function workflowCommand({ level, title, message }: Annotation): string {
  // Colons and commas end a property of a workflow command.
  const property = escapeData(title).replaceAll(':', '%3A').replaceAll(',', '%2C');
  return `::${level} title=${property}::${message.split('\n').map(printable).map(escapeData).join('%0A')}\n`;
}

function escapeData(text: string): string {
  return text.replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A');
}
