// The report for a terminal.
import type { DiagnosisVerdict, RequirementVerdict } from '../../judge/verdict/verdict.ts';
import { causeOfFailures, consequencesTitle, withoutEvidenceTitle } from '../failure/cause.ts';
import { shellQuote } from '../failure/curl-command.ts';
import { type FailureContext, type FailureText, failureBlocks, failureText } from '../failure/failure.ts';
import { printableReport } from '../formats/printable-report.ts';
import { knownFailures, openCauses, type Report, unexcusedRequirements } from '../report.ts';
import type { Colours } from './colours.ts';
import { errataLines, summaryLines, type WrittenFile } from './summary.ts';

/** Failures shown in full; a broken target is understood from the first few, the report has all. */
const IN_FULL = 12;
/** Further failures, a line each. */
const IN_BRIEF = 60;

/** Requirements that are named of those that fail in consequence of one cause. */
const IN_CONSEQUENCE = 12;

/** Options of the terminal report. */
export interface TerminalOptions extends FailureContext {
  /** Styles of the words FAIL and WARN, of values and of secondary lines. */
  readonly paint: Colours;
  /** Files that were written. */
  readonly written: readonly WrittenFile[];
}

/** The whole report for a terminal: failures, warnings, then the summary, because a terminal is read from its end. */
export function terminalReport(given: Report, options: TerminalOptions): string {
  const report = printableReport(given);
  return [
    ...openCauses(report).flatMap((one) => cause(one, report, options)),
    ...broken(unexcusedRequirements(report, 'fail'), options),
    ...broken(unexcusedRequirements(report, 'warn'), options),
    ...excused(knownFailures(report), options.paint),
    ...errata(report, options.paint),
    ...defects(report, options.paint),
    ...summaryLines(report, options),
    '',
  ].join('\n');
}

/** A cause of refusals in full; what fails in consequence by name. */
function cause(diagnosis: DiagnosisVerdict, report: Report, options: TerminalOptions): string[] {
  const found = causeOfFailures(diagnosis, report, options);
  if (found === null) return [];
  const { text, consequences, withoutEvidence } = found;
  return [
    ...failure(text, options.paint),
    ...named(consequencesTitle(consequences), consequences, options),
    ...named(withoutEvidenceTitle(withoutEvidence), withoutEvidence, options),
  ];
}

/** The first of some requirements by name, below a title; nothing for none. */
function named(title: string, all: readonly RequirementVerdict[], options: TerminalOptions): string[] {
  if (all.length === 0) return [];
  const names = all.slice(0, IN_CONSEQUENCE).map(({ id }) => id);
  if (all.length > names.length) names.push(`… and ${all.length - names.length} more, in the report`);
  const lines = wrapped(names, Math.max(options.width - 8, 40)).map((line) => `        ${line}`);
  return [`      ${options.paint.bold(title)}`, ...lines, ''];
}

/** The first failures in full, further ones as lines. */
function broken(requirements: readonly RequirementVerdict[], options: TerminalOptions): string[] {
  const groups = grouped(requirements);
  const full = groups
    .slice(0, IN_FULL)
    .flatMap(([first, ...alike]) => [
      ...failure(failureText(first, options), options.paint),
      ...likewise(first, alike, options),
    ]);
  const rest = groups.slice(IN_FULL);
  const lines = rest
    .slice(0, IN_BRIEF)
    .map(([{ id, says }, ...alike]) => `      ${id}  ${options.paint.dim(says)}${counted(alike)}`);
  const left = rest.flat().length;
  if (left > 0) lines.unshift(`${rest[0]?.[0].verdict === 'warn' ? 'WARN' : 'FAIL'}  ${left} more:`);
  if (rest.length > IN_BRIEF)
    lines.push(`      … and ${rest.slice(IN_BRIEF).flat().length} more, in the report`);
  return lines.length > 0 ? [...full, ...lines, ''] : full;
}

/** Failures that are shown together. */
type Group = [RequirementVerdict, ...RequirementVerdict[]];

/** Groups the invalid requests that one operation accepts: usually one defect, shown once. */
function grouped(requirements: readonly RequirementVerdict[]): readonly Group[] {
  const groups = new Map<string, Group>();
  for (const one of requirements) {
    const key = one.kind === 'rejected' ? subject(one) : one.id;
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [one]);
    else group.push(one);
  }
  return [...groups.values()];
}

/** `createChatCompletion` of `createChatCompletion:body.n#maximum.rejected`. */
function subject({ id }: RequirementVerdict): string {
  return id.split(':', 1)[0] ?? id;
}

/** The other failures of a group. */
function likewise(
  first: RequirementVerdict,
  alike: readonly RequirementVerdict[],
  options: TerminalOptions,
): string[] {
  if (alike.length === 0) return [];
  const { paint, width } = options;
  const places = alike.map(({ id }) => id.slice(subject(first).length + 1).replace(/\.rejected$/, ''));
  return [
    `      ${paint.bold(`and ${alike.length} more requests that ${subject(first)} does not turn down:`)}`,
    ...wrapped(places, Math.max(width - 8, 40)).map((line) => `        ${line}`),
    `      each   npx assay explain ${shellQuote(`${subject(first)}:${places[0]}`)}`,
    '',
  ];
}

/** The size of a group beside the first of it. */
function counted(alike: readonly RequirementVerdict[]): string {
  return alike.length === 0 ? '' : ` (and ${alike.length} more like it)`;
}

/** Words in lines of at most so many columns. */
function wrapped(words: readonly string[], width: number): string[] {
  const lines: string[] = [];
  for (const word of words) {
    const line = lines.at(-1);
    if (line !== undefined && line.length + word.length + 2 <= width)
      lines[lines.length - 1] = `${line}, ${word}`;
    else lines.push(word);
  }
  return lines;
}

/** A failure in full, indented below its id. */
function failure(text: FailureText, paint: Colours): string[] {
  const word = text.word === 'FAIL' ? paint.red : paint.yellow;
  const lines = failureBlocks(text, paint).flatMap((block) => ['', ...block.map((line) => `      ${line}`)]);
  return [`${paint.bold(word(text.word))}  ${paint.bold(text.id)}`, ...lines, ''];
}

/** Failures that the baseline lists, a line each. */
function excused(requirements: readonly RequirementVerdict[], paint: Colours): string[] {
  if (requirements.length === 0) return [];
  const lines = requirements.map(
    ({ id, baseline }) => `${paint.bold(paint.cyan('KNOWN'))} ${id}  ${baseline}`,
  );
  return [...lines, ''];
}

/** Errata of the dialect that were needed, a line each. */
function errata(report: Report, paint: Colours): string[] {
  const lines = errataLines(report).map((line) => `${paint.bold(paint.cyan('EXCUSED'))} ${line}`);
  return lines.length === 0 ? [] : [...lines, ''];
}

/** Defects of assay: they say nothing about the target. */
function defects({ requirements }: Report, paint: Colours): string[] {
  return requirements
    .filter(({ verdict }) => verdict === 'error')
    .flatMap(({ id, reason }) => [
      `${paint.bold(paint.magenta('ERROR'))} ${id}`,
      `      a defect of assay, not of the target: ${reason ?? 'no reason given'}`,
      '',
    ]);
}
