// Annotations of GitHub Actions.
import type { DiagnosisVerdict, RequirementVerdict } from '../../judge/verdict/verdict.ts';
import { consequencesTitle, withoutEvidenceTitle } from '../failure/cause.ts';
import { briefJson, printable } from '../failure/excerpt.ts';
import { openCauses, type Report, unexcusedRequirements } from '../report.ts';
import { scoreLine, verdictSentence } from '../verdict-sentence.ts';
import { diagnosisWords } from '../words/diagnosis.ts';
import { printableReport } from './printable-report.ts';

/** GitHub shows ten annotations of a step. */
const SHOWN = 10;

/** Workflow commands: an annotation per broken requirement, and one for the verdict. */
export function githubAnnotations(given: Report): string {
  const report = printableReport(given);
  const level = { conforms: 'notice', 'does-not-conform': 'error', 'cannot-tell': 'warning' } as const;
  const lines = [
    command(level[report.summary.verdict], `assay: ${verdictSentence(report)}`, scoreLine(report)),
    ...[
      ...openCauses(report).map(causeCommand),
      ...unexcusedRequirements(report, 'fail').map(failureCommand),
    ].slice(0, SHOWN),
    ...unexcusedRequirements(report, 'warn')
      .slice(0, SHOWN)
      .map((one) => command('warning', one.id, words(one))),
  ];
  return `${lines.join('\n')}\n`;
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

function failureCommand(one: RequirementVerdict): string {
  return command('error', one.id, words(one));
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
