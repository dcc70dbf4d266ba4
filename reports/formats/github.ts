// Annotations of GitHub Actions.
import type { DiagnosisVerdict, RequirementVerdict } from '../../judge/verdict/verdict.ts';
import { briefJson, printable } from '../../schemas/excerpt.ts';
import { undecidedForGate } from '../counts.ts';
import {
  consequencesTitle,
  distinctFindings,
  type FailureContext,
  withoutEvidenceTitle,
} from '../failure/failure.ts';
import { printableReport } from '../printable-report.ts';
import { openCauses, type Report, type ReportedRequirement, unexcusedRequirements } from '../report.ts';
import { scoreLine, verdictSentence } from '../verdict-sentence.ts';
import { diagnosisWords } from '../words/cause.ts';

/** GitHub shows ten annotations of a step. */
const SHOWN = 10;

/** Workflow commands: an annotation per broken requirement, and one for the verdict. */
export function githubAnnotations(given: Report, context: Pick<FailureContext, 'exchange'>): string {
  const report = printableReport(given);
  const { exitCode, reasons } = report.summary;
  const lines = [
    command(
      exitCode === 0 ? 'notice' : 'error',
      `assay: ${verdictSentence(report)}`,
      [...reasons, scoreLine(report)].join('\n'),
    ),
    ...[
      ...openCauses(report).map(causeCommand),
      ...unexcusedRequirements(report, 'fail').map((one) => command('error', one.id, words(one, context))),
      ...undecidedForGate(report).map((one) => undecidedCommand(one, exitCode)),
    ].slice(0, SHOWN),
    ...unexcusedRequirements(report, 'warn')
      .slice(0, SHOWN)
      .map((one) => command('warning', one.id, words(one, context))),
  ];
  return `${lines.join('\n')}\n`;
}

/** The annotation of a command that could not run: the log of a step is seldom opened. */
export function githubError(message: string): string {
  return `${command('error', 'assay could not run', message)}\n`;
}

/** A cause of refusals. */
function causeCommand(diagnosis: DiagnosisVerdict): string {
  const { operations, consequences, withoutEvidence = [] } = diagnosis;
  const titles = [
    ...(consequences.length === 0 ? [] : [consequencesTitle(consequences)]),
    ...(withoutEvidence.length === 0 ? [] : [withoutEvidenceTitle(withoutEvidence)]),
  ];
  const more = titles.map((title) => `\n${title.slice(0, -1)}.`).join('');
  return command('error', operations[0]?.id ?? diagnosis.feature, `${diagnosisWords(diagnosis)}${more}`);
}

/** A MUST without a decision: an error where it decides the exit code. */
function undecidedCommand({ id, says, reason }: ReportedRequirement, exitCode: number): string {
  return command(exitCode === 2 ? 'error' : 'warning', id, `could not be decided: ${says}\n${reason ?? ''}`);
}

/** The sentence, and the finding that all other formats show first. */
function words(broken: RequirementVerdict, context: Pick<FailureContext, 'exchange'>): string {
  const { says } = broken;
  const [finding] = distinctFindings(broken, context);
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
