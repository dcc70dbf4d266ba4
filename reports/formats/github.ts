import { printable } from '../../exchange/printable.ts';
import type { DiagnosisVerdict, RequirementVerdict } from '../../judge/verdict/verdict.ts';
import { undecidedForGate } from '../counts.ts';
import {
  brokenItems,
  consequencesTitle,
  distinctFindings,
  type FailureContext,
  type FailureGroup,
  findingWords,
  groupWords,
  withoutEvidenceTitle,
} from '../failure/failure.ts';
import { printableReport } from '../printable-report.ts';
import type { Report } from '../report.ts';
import { scoreLine, verdictSentence } from '../verdict-sentence.ts';
import { diagnosisWords } from '../words/cause.ts';
import { present } from '../words/text.ts';

/** GitHub shows at most ten annotations of a level per step. */
const SHOWN = 10;

/** GitHub workflow commands: one annotation for the verdict and one for each reported defect. */
export function githubAnnotations(given: Report, context: Pick<FailureContext, 'exchange'>): string {
  const report = printableReport(given);
  const { exitCode, reasons } = report.summary;
  const broken = brokenItems(report).map((item) =>
    item.kind === 'cause'
      ? { first: null, line: causeCommand(item.diagnosis) }
      : { first: item.group.first, line: groupCommand(item.group, context) },
  );
  const lines = [
    command(
      exitCode === 0 ? 'notice' : 'error',
      `assay: ${verdictSentence(report)}`,
      [...reasons, scoreLine(report)].join('\n'),
    ),
    ...[
      ...broken.filter(({ first }) => first?.verdict !== 'warn').map(({ line }) => line),
      ...undecidedForGate(report).map(({ id, says, reason }) =>
        command(exitCode === 2 ? 'error' : 'warning', id, `could not be decided: ${says}\n${reason ?? ''}`),
      ),
    ].slice(0, SHOWN),
    ...broken
      .filter(({ first }) => first?.verdict === 'warn')
      .slice(0, SHOWN)
      .map(({ line }) => line),
  ];
  return `${lines.join('\n')}\n`;
}

/** The annotation for a command that could not run: few people open the log of a step. */
export function githubError(message: string): string {
  return `${command('error', 'assay could not run', message)}\n`;
}

function causeCommand(diagnosis: DiagnosisVerdict): string {
  const { operations, consequences, withoutEvidence = [] } = diagnosis;
  const titles = present(
    consequences.length > 0 && consequencesTitle(consequences),
    withoutEvidence.length > 0 && withoutEvidenceTitle(withoutEvidence),
  );
  const more = titles.map((title) => `\n${title.slice(0, -1)}.`).join('');
  return command('error', operations[0]?.id ?? diagnosis.feature, `${diagnosisWords(diagnosis)}${more}`);
}

function groupCommand(group: FailureGroup, context: Pick<FailureContext, 'exchange'>): string {
  const { first, shape, subject } = group;
  const level = first.verdict === 'warn' ? 'warning' : 'error';
  const head = shape === null ? '' : `${groupWords(group)}; the first:\n`;
  return command(level, subject, `${head}${annotationText(first, context)}`);
}

function annotationText(broken: RequirementVerdict, context: Pick<FailureContext, 'exchange'>): string {
  const [finding] = distinctFindings(broken, context);
  if (finding === undefined) return broken.says;
  return `${broken.says}\n${findingWords(finding, 200)} (${finding.exchange})`;
}

function command(level: 'error' | 'warning' | 'notice', title: string, message: string): string {
  // Colons and commas end a property of a workflow command.
  const property = data(title).replaceAll(':', '%3A').replaceAll(',', '%2C');
  return `::${level} title=${property}::${message.split('\n').map(printable).map(data).join('%0A')}`;
}

function data(text: string): string {
  return text.replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A');
}
