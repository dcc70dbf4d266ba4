// A failure in words, the same in all formats: requirement, place, expected and actual value, exchange,
// commands.
import type { Exchange } from '../../exchange/exchange.ts';
import { isOnClient } from '../../judge/requirements/claimed.ts';
import type { Finding, RequirementVerdict } from '../../judge/verdict/verdict.ts';
import { plural } from '../report.ts';
import type { Colours } from '../terminal/colours.ts';
import { curlCommand, maskedHeaderVariables } from './curl-command.ts';
import { briefJson, printable } from './excerpt.ts';
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
