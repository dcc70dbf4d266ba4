// A failure in words, the same in all formats: requirement, place, expected and actual value, exchange,
// commands.
import type { Exchange } from '../../exchange/exchange.ts';
import { isOnClient } from '../../judge/client/client-side.ts';
import type { DiagnosisVerdict, Finding, RequirementVerdict } from '../../judge/verdict/verdict.ts';
import { briefJson, printable } from '../../schemas/excerpt.ts';
import { plural, type Report, type ReportedRequirement } from '../report.ts';
import { diagnosisWords, operationWords } from '../words/cause.ts';
import { type Colours, coloursFor } from '../words/layout.ts';
import { curlCommand, maskedHeaderVariables } from './curl-command.ts';
import { wireLines } from './wire.ts';

/** Findings and exchanges that are shown of one requirement; the report has all. */
const FINDINGS = 3;
const EXCHANGES = 2;

/** Exchanges and commands for the text of a failure. */
export interface FailureContext {
  /** The exchange of an id, or undefined where it was not kept. */
  readonly exchange: (id: string) => Exchange | undefined;
  /** The command that judges this requirement alone, in such a way that the exchange comes about again. */
  readonly again: (requirement: string, exchange: Exchange | undefined) => string;
  /** The command that judges only these families of the same target. */
  readonly claiming: (families: readonly string[]) => string;
  /** Where requests went, for the curl line; null leaves that line out. */
  readonly baseUrl: string | null;
  /** Environment variable from which the curl command reads the key. */
  readonly keyVariable: string;
  /** Where the whole traffic lies, as words of a command line, or null. */
  readonly cassette: string | null;
  /** Folder of the report.json, where `assay explain` does not look by itself; null or absent for the usual folder, or none. */
  readonly reportDir?: string | null;
  /** The baseline that failures may be added to, most often the one that was applied; null or absent for none. */
  readonly baselineFile?: string | null;
  /** A baseline to begin, where there is none, or where the one that was applied is that of the service and a client was judged. */
  readonly newBaselineFile?: string;
  /** How many exchanges there are, and when each began, in milliseconds since 1970 (0 where unknown); absent where nothing is recorded. */
  readonly timeline?: { readonly size: number; readonly began: (id: string) => number };
  /** Of traffic in several files, the file that an exchange is in, as a word of a command line, and its id there; else null. */
  readonly source: (id: string) => { readonly path: string; readonly id: string } | null;
  /** Columns. */
  readonly width: number;
}

/** The parts of a failure in reading order; each format sets them in its way. */
export interface FailureText {
  /** FAIL for a MUST, WARN for a SHOULD. */
  readonly word: 'FAIL' | 'WARN';
  readonly id: string;
  readonly level: string;
  readonly says: string;
  /** Section of the specification. */
  readonly spec: string;
  readonly findings: readonly { readonly at: string; readonly expected: string; readonly actual: string }[];
  /** Ids of the causes that it fails for, where a refusal of requests is all that breaks it. */
  readonly consequenceOf: readonly string[];
  /** `and 17 more findings`; null if all are shown. */
  readonly more: string | null;
  /** Lines of each exchange that is printed. */
  readonly wire: readonly (readonly string[])[];
  /** Commands in the order in which a reader needs them: judge again, repeat by hand, look at everything. */
  readonly next: readonly { readonly what: 'again' | 'set' | 'curl' | 'whole'; readonly text: string }[];
}

/** The findings that are shown of a failure, one for each defect, and the ids of the exchanges that prove them. */
export function shownEvidence(
  broken: RequirementVerdict,
  context: Pick<FailureContext, 'exchange'>,
): { readonly findings: readonly Finding[]; readonly exchanges: readonly string[] } {
  const findings = distinctFindings(broken, context).slice(0, FINDINGS);
  return { findings, exchanges: [...new Set(findings.map(({ exchange }) => exchange))].slice(0, EXCHANGES) };
}

/** A broken requirement in words: rule, place, expected and actual, wire, what to type next. */
export function failureText(broken: RequirementVerdict, context: FailureContext): FailureText {
  const { findings: shown, exchanges } = shownEvidence(broken, context);
  const left = broken.findingsTotal - shown.length;
  return {
    word: broken.verdict === 'warn' ? 'WARN' : 'FAIL',
    id: broken.id,
    level: broken.basis === 'implied' ? `${broken.level} (implied)` : broken.level,
    says: broken.says,
    spec: broken.spec,
    findings: shown.map((finding) => findingText(finding, context.width)),
    consequenceOf: broken.consequenceOf ?? [],
    more: left > 0 ? `and ${plural(left, 'more finding')}` : null,
    wire: exchanges.flatMap((id) => {
      const exchange = context.exchange(id);
      if (exchange === undefined) return [];
      const proved = shown.filter((finding) => finding.exchange === id);
      const source = context.source(id);
      const place = source === null ? [] : [`${id} is ${source.id} of ${source.path}`];
      return [[...place, ...wireLines(exchange, proved, Math.max(context.width - 6, 40))]];
    }),
    next: next(broken.id, exchanges, context),
  };
}

/** Findings of a requirement that are looked at for the one with the shortest request. */
const LOOKED_AT = 30;

/** One finding for each defect: of those that a valid request shows, else of the others, the one with the shortest request. */
export function distinctFindings(
  { kind, findings }: Pick<RequirementVerdict, 'kind' | 'findings'>,
  { exchange }: Pick<FailureContext, 'exchange'>,
): readonly Finding[] {
  const best = new Map<string, { readonly finding: Finding; readonly cost: number }>();
  for (const [n, finding] of findings.entries()) {
    const { signature } = finding;
    const known = best.get(signature);
    if (known !== undefined && n >= LOOKED_AT && known.cost < ASIDE) continue;
    const sent = exchange(finding.exchange);
    const isAside = kind !== 'rejected' && sent?.probe?.side === 'violation';
    const cost = (sent?.request.body.size ?? 0) + (isAside ? ASIDE : 0);
    if (known === undefined || cost < known.cost) best.set(signature, { finding, cost });
  }
  return [...best.values()].map(({ finding }) => finding);
}

/** More than any body has bytes: an invalid request is shown only where no valid one shows the same. */
const ASIDE = 2 ** 40;

/** A finding in words, shortened to about two lines. */
export function findingText(finding: Finding, width: number): FailureText['findings'][number] {
  const limit = Math.max(width - 16, 40) * 2;
  return {
    at: finding.at === '' ? 'the whole body' : printable(finding.at),
    expected: printable(finding.expected),
    actual: briefJson(finding.actual, limit),
  };
}

/** Commands that repeat the failure or show more of it. */
function next(id: string, exchanges: readonly string[], context: FailureContext): FailureText['next'] {
  const [proof] = exchanges;
  const exchange = proof === undefined ? undefined : context.exchange(proof);
  const line =
    // A client is mended in the client: to send the same once more shows nothing.
    exchange === undefined || context.baseUrl === null || isOnClient(id)
      ? null
      : curlCommand(exchange, {
          ...context,
          baseUrl: context.baseUrl,
          bodyCommand: bodyCommand(exchange.id, context),
        });
  return [
    { what: 'again', text: context.again(id, exchange) },
    ...(line === null || exchange === undefined ? [] : curlLines(line, exchange)),
    ...whole(exchanges, context),
  ];
}

/** The curl command, after a line on the variables that it reads, where the exchange holds masked header fields. */
function curlLines(
  line: string,
  exchange: Exchange,
): readonly { readonly what: 'set' | 'curl'; readonly text: string }[] {
  const variables = maskedHeaderVariables(exchange);
  const command = { what: 'curl', text: line } as const;
  if (variables.length === 0) return [command];
  return [
    { what: 'set', text: `${variables.join(', ')}: the masked header values, for the next line` },
    command,
  ];
}

/** The command that prints the body of a request, byte for byte. */
function bodyCommand(id: string, { cassette, source }: FailureContext): string | null {
  if (cassette === null) return null;
  const place = source(id);
  const what = place === null ? `${cassette} ${id}` : `${place.path} ${place.id}`;
  return `npx assay show ${what} --request-body`;
}

/** The command that prints the exchanges that were kept. */
function whole(
  exchanges: readonly string[],
  { cassette, exchange, source }: FailureContext,
): readonly { readonly what: 'whole'; readonly text: string }[] {
  const [first, ...others] = exchanges.filter((id) => exchange(id) !== undefined);
  if (first === undefined || cassette === null) return [];
  const place = source(first);
  // One of many files is enough to look at, and all their names would fill pages.
  const what = place === null ? [cassette, first, ...others] : [place.path, place.id];
  return [{ what: 'whole', text: `npx assay show ${what.join(' ')}` }];
}

/** The blocks of a failure, each of some lines, to be set apart by blank lines. */
export function failureBlocks(text: FailureText, paint: Colours): string[][] {
  const word = text.word === 'FAIL' ? paint.red : paint.yellow;
  return [
    [`${text.level}  ${text.says}`, `spec  ${text.spec}`],
    ...text.findings.map(({ at, expected, actual }) => [
      `at        ${at}`,
      `expected  ${paint.green(expected)}`,
      `actual    ${word(actual)}`,
    ]),
    ...(text.more === null ? [] : [[text.more]]),
    ...(text.consequenceOf.length === 0 ? [] : [[`because of ${text.consequenceOf.join(', ')}`]]),
    ...text.wire.map((lines) => lines.map((line) => paint.dim(line))),
    text.next.map(({ what, text: words }) => `${what.padEnd(5)}  ${words}`),
  ];
}

// Groups failures that are most likely one defect, so that each is shown once.

/** Failures that are shown together: the first in full, the others by their place. */
export interface FailureGroup<R extends RequirementVerdict = RequirementVerdict> {
  readonly first: R;
  readonly alike: readonly R[];
  /**
   * `accepts-invalid`: one operation accepts invalid requests; `lacks-fields`: one object lacks fields that should be present.
   * Null for a single failure.
   */
  readonly shape: 'accepts-invalid' | 'lacks-fields' | null;
  /** The operation, or the object: `createChatCompletion`, `batch`; for a single failure its id. */
  readonly subject: string;
}

/** A recommended field that is absent; see the keyword `x-expected` of the schemas. */
const EXPECTED = '#expected';

/** Groups in the order of their first failure. */
export function groupFailures<R extends RequirementVerdict>(
  requirements: readonly R[],
): readonly FailureGroup<R>[] {
  const groups = new Map<string, [R, ...R[]]>();
  for (const one of requirements) {
    const key = sharesDefect(one) ? `${one.kind} ${subjectOf(one)}` : one.id;
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [one]);
    else group.push(one);
  }
  return [...groups.values()].map(([first, ...alike]) => {
    if (alike.length === 0) return { first, alike, shape: null, subject: first.id };
    const shape = first.kind === 'rejected' ? 'accepts-invalid' : 'lacks-fields';
    return { first, alike, shape, subject: subjectOf(first) };
  });
}

/** The title of a group of several, after its subject: `accepts 67 kinds of invalid requests`. */
export function groupWords({ shape, alike }: FailureGroup): string {
  return shape === 'accepts-invalid'
    ? `accepts ${plural(alike.length + 1, 'kind')} of invalid requests`
    : `lacks ${plural(alike.length + 1, 'field')} that should be present, be it null`;
}

/** The place of a failure within its group: `body.n#maximum`, `errors`. */
export function placeInGroup({ id }: RequirementVerdict): string {
  const place = id.slice(id.indexOf(':') + 1);
  return place.endsWith(EXPECTED) ? place.slice(0, -EXPECTED.length) : place.replace(/\.rejected$/, '');
}

/** Whether requirements of the same subject are usually broken by one defect. */
function sharesDefect({ kind, id }: RequirementVerdict): boolean {
  return kind === 'rejected' || (id.includes(':') && id.endsWith(EXPECTED));
}

/** `createChatCompletion` of `createChatCompletion:body.n#maximum.rejected`. */
function subjectOf({ id }: RequirementVerdict): string {
  return id.split(':', 1)[0] ?? id;
}

// A cause of refusals as a failure: once, however many requirements fail by the same requests.

/** A cause, and what else fails for it. */
export interface CauseOfFailures {
  readonly text: FailureText;
  /** The requirement that it breaks, with the finding of the cause alone. */
  readonly shown: RequirementVerdict;
  readonly consequences: readonly ReportedRequirement[];
  /** Requirements that were not judged, because their evidence needs a request that was refused for the cause. */
  readonly withoutEvidence: readonly ReportedRequirement[];
}

/** The parts of a cause in reading order. Null where the report lists none of its requirements. */
export function causeOfFailures(
  diagnosis: DiagnosisVerdict,
  report: Report,
  context: FailureContext,
): CauseOfFailures | null {
  const named = (ids: readonly string[]) => {
    const names = new Set(ids);
    return report.requirements.filter(({ id }) => names.has(id));
  };
  const consequences = named(diagnosis.consequences);
  const [operation] = diagnosis.operations;
  const requirement = report.requirements.find(({ id }) => id === operation?.requirement) ?? consequences[0];
  if (operation === undefined || requirement === undefined) return null;
  const shown: RequirementVerdict = {
    ...requirement,
    verdict: 'fail',
    consequenceOf: [],
    findings: [
      {
        at: placeOf(diagnosis),
        expected: 'a 2xx answer to each valid request',
        actual: diagnosisWords(diagnosis),
        exchange: operation.exchanges[0] ?? '',
        signature: '',
      },
    ],
    findingsTotal: 1,
  };
  const text = failureText(shown, context);
  const [finding] = text.findings;
  // The words of a cause are shown whole: they are ours, and short.
  const findings = finding === undefined ? [] : [{ ...finding, actual: diagnosisWords(diagnosis) }];
  const more = operationWords(diagnosis);
  return {
    shown,
    text: { ...text, id: operation.id, findings, more: more.length === 0 ? null : more.join('; ') },
    consequences,
    withoutEvidence: named(diagnosis.withoutEvidence ?? []),
  };
}

/** How many requirements fail for the cause as well: `12 requirements fail by the same requests`. */
export function consequencesTitle({ length }: readonly unknown[]): string {
  return `${length} more ${length === 1 ? 'requirement fails' : 'requirements fail'} by the same requests:`;
}

/** How many requirements a cause leaves without evidence: `3 requirements could not be judged for this cause`. */
export function withoutEvidenceTitle({ length }: readonly unknown[]): string {
  return `${length} ${length === 1 ? 'requirement' : 'requirements'} could not be judged for this cause:`;
}

function placeOf({ features }: DiagnosisVerdict): string {
  return features.length === 0 ? 'valid requests' : `valid requests with ${features.join(' and ')}`;
}

// The text of a failure for formats that hold plain text: JUnit, CTRF, Allure. Values of the target in it are escaped by then.

/** A failure as in the terminal, without colours. */
export function failureWords(requirement: ReportedRequirement, context: FailureContext): string {
  const blocks = failureBlocks(failureText(requirement, context), coloursFor('off'));
  return blocks.map((block) => block.join('\n')).join('\n\n');
}
