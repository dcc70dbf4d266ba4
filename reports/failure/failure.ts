import type { Exchange } from '../../exchange/exchange.ts';
import { briefJson, printable } from '../../exchange/printable.ts';
import type { Basis, Level } from '../../judge/requirements/requirement.ts';
import { isClientRequirement } from '../../judge/requirements/selection.ts';
import type { Finding, RequirementVerdict } from '../../judge/verdict/verdict.ts';
import { plural } from '../../schemas/message-text.ts';
import { type Colours, coloursFor } from '../words/colours.ts';
import { type Columns, hangLines, narrowBy, wrapCommand, wrapText } from '../words/layout.ts';
import { curlCommand, maskedHeaderVariables } from './curl-command.ts';
import { MIN_COLUMNS, wireLines } from './wire.ts';

/** Maximum numbers of findings and exchanges shown per requirement; report.json keeps more findings. */
const MAX_FINDINGS = 3;
const MAX_EXCHANGES = 2;
/** Number of findings after which a valid request is kept even if a shorter one follows. */
const MAX_COMPARED_FINDINGS = 30;
/** Larger than any body in bytes, so that an invalid request is shown only if no valid one shows the defect. */
const INVALID_REQUEST_COST = 2 ** 40;
/** Columns before an exchange, and before a value behind its label. */
const INDENT = 6;
const VALUE_INDENT = 16;
const PLAIN = coloursFor('off');

export interface FailureContext {
  readonly exchange: (id: string) => Exchange | undefined;
  /** The command that judges a requirement again. For a service, it judges no other, and reproduces the exchange. */
  readonly rerunCommand: (requirement: string, exchange: Exchange | undefined) => string;
  readonly claimCommand: (families: readonly string[]) => string;
  /** Base URL of curl commands; null to print none, as for the embedded reference. */
  readonly baseUrl: string | null;
  readonly keyVariable: string;
  /** Environment variable of the key of another organization, for requests that were sent with it. Default: none. */
  readonly secondKeyVariable?: string;
  /** The cassette as shell words; null if there is none. */
  readonly cassette: string | null;
  /** Flags with which a command judges recorded traffic as this run did, such as ` --dialect FILE`. Default: none. */
  readonly judgingFlags?: string;
  /** Folder of report.json; null or absent if it is the default one, or no report.json is written. */
  readonly reportDir?: string | null;
  /** The baseline to add failures to, usually the one that was applied. */
  readonly baselineFile?: string | null;
  /** Path for a new baseline, if none was applied, or only one for the service and not for this client. */
  readonly newBaselineFile?: string;
  /** Extensions of this run that the configuration with this baseline does not name. Default: none. */
  readonly missingExtensions?: readonly string[];
  /** Number of exchanges, and when each began (Unix ms, 0 if unknown). Default: no exchanges. */
  readonly timeline?: { readonly size: number; readonly began: (id: string) => number };
  /** The globs of --only: the terminal then shows the known failures that they select in full. Default: none. */
  readonly only?: readonly string[];
  /** For traffic in several files: the file of an exchange (a shell word) and its id there; else null. */
  readonly source: (id: string) => { readonly path: string; readonly id: string } | null;
  /** Columns of the output. Bodies and events are truncated to fit, values to about two lines. */
  readonly width: number;
}

export interface FailureText {
  /** `WARN` if the verdict is `warn`, `KNOWN` for an accepted failure. */
  readonly word: 'FAIL' | 'WARN' | 'KNOWN';
  readonly known?: string;
  readonly id: string;
  readonly level: string;
  readonly says: string;
  readonly spec: string;
  /** At most three, one per defect, as printable text; `at` is `the whole body` for an empty pointer. */
  readonly findings: readonly { readonly at: string; readonly expected: string; readonly actual: string }[];
  readonly consequenceOf: readonly string[];
  /** `and 17 more findings`, or the refused requests of a cause; null if there are none. */
  readonly more: string | null;
  /** At most two exchanges, each as lines in the style of `curl -v`; exchanges that were not kept are left out. */
  readonly wire: readonly (readonly string[])[];
  /** Commands, most useful first: judge again, repeat by hand (with the variables to set for it), see everything. */
  readonly next: readonly { readonly what: 'again' | 'set' | 'curl' | 'whole'; readonly text: string }[];
}

/** The level: `MUST`, or `MUST (implied)` if the basis is not the wording; `PINNED` if the dialect pins it. */
export function levelWords({ level, basis }: { readonly level: Level; readonly basis: Basis }): string {
  if (basis === 'pinned') return 'PINNED';
  return basis === 'stated' ? level : `${level} (${basis})`;
}

export function shownEvidence(
  broken: RequirementVerdict,
  context: Pick<FailureContext, 'exchange'>,
): { readonly findings: readonly Finding[]; readonly exchanges: readonly string[] } {
  const findings = distinctFindings(broken, context).slice(0, MAX_FINDINGS);
  return {
    findings,
    exchanges: [...new Set(findings.map(({ exchange }) => exchange))].slice(0, MAX_EXCHANGES),
  };
}

export function failureText(broken: RequirementVerdict, context: FailureContext): FailureText {
  const { findings: shown, exchanges } = shownEvidence(broken, context);
  const hidden = broken.findingsTotal - shown.length;
  return {
    word: broken.verdict === 'warn' ? 'WARN' : 'FAIL',
    id: broken.id,
    level: levelWords(broken),
    says: broken.says,
    spec: broken.spec,
    findings: shown.map((finding) => printableFinding(finding, context.width)),
    consequenceOf: broken.consequenceOf ?? [],
    more: hidden > 0 ? `and ${plural(hidden, 'more finding')}` : null,
    wire: exchanges.flatMap((id) => {
      const exchange = context.exchange(id);
      if (exchange === undefined) return [];
      const ownFindings = shown.filter((finding) => finding.exchange === id);
      const source = context.source(id);
      const place = source === null ? [] : [`${id} is ${source.id} of ${source.path}`];
      return [[...place, ...wireLines(exchange, ownFindings, Math.max(context.width - INDENT, MIN_COLUMNS))]];
    }),
    next: nextCommands(broken.id, exchanges, context),
  };
}

/** One finding per signature, preferably of a valid request, unless `kind` is `rejected`, and of a short one. */
export function distinctFindings(
  { kind, findings }: Pick<RequirementVerdict, 'kind' | 'findings'>,
  { exchange }: Pick<FailureContext, 'exchange'>,
): readonly Finding[] {
  const best = new Map<string, { readonly finding: Finding; readonly cost: number }>();
  for (const [n, finding] of findings.entries()) {
    const { signature } = finding;
    const previous = best.get(signature);
    if (previous !== undefined && n >= MAX_COMPARED_FINDINGS && previous.cost < INVALID_REQUEST_COST)
      continue;
    const proof = exchange(finding.exchange);
    const isInvalidRequest = kind !== 'rejected' && proof?.probe?.side === 'violation';
    const cost = (proof?.request.body.size ?? 0) + (isInvalidRequest ? INVALID_REQUEST_COST : 0);
    if (previous === undefined || cost < previous.cost) best.set(signature, { finding, cost });
  }
  return [...best.values()].map(({ finding }) => finding);
}

export function printableFinding(finding: Finding, width: number): FailureText['findings'][number] {
  const limit = Math.max(width - VALUE_INDENT, MIN_COLUMNS) * 2;
  return {
    at: finding.at === '' ? 'the whole body' : printable(finding.at),
    expected: printable(finding.expected),
    actual: briefJson(finding.actual, limit),
  };
}

/** `at /id: expected a string, actual 3`. `limit`: maximum length of the actual value, in characters. */
export function findingWords(
  { at, expected, actual }: Pick<Finding, 'at' | 'expected' | 'actual'>,
  limit: number,
): string {
  return `at ${at || 'the whole body'}: expected ${expected}, actual ${briefJson(actual, limit)}`;
}

function nextCommands(
  id: string,
  exchanges: readonly string[],
  context: FailureContext,
): FailureText['next'] {
  const { baseUrl, cassette } = context;
  const [shownId] = exchanges;
  const exchange = shownId === undefined ? undefined : context.exchange(shownId);
  const next: FailureText['next'][number][] = [{ what: 'again', text: context.rerunCommand(id, exchange) }];
  // Repeating the request of a client proves nothing, because the client must be fixed.
  if (exchange !== undefined && baseUrl !== null && !isClientRequirement(id)) {
    const bodyCommand =
      cassette === null ? null : `${showCommand(cassette, [exchange.id], context)} --request-body`;
    const line = curlCommand(exchange, { ...context, baseUrl, bodyCommand });
    const variables = maskedHeaderVariables(exchange).join(', ');
    if (line !== null && variables !== '')
      next.push({ what: 'set', text: `${variables}: the masked header values, for the next line` });
    if (line !== null) next.push({ what: 'curl', text: line });
  }
  const keptIds = exchanges.filter((one) => context.exchange(one) !== undefined);
  if (keptIds.length > 0 && cassette !== null)
    next.push({ what: 'whole', text: showCommand(cassette, keptIds, context) });
  return next;
}

/** For traffic in several files, the command shows only the first exchange, to keep the line short. */
function showCommand(cassette: string, ids: readonly string[], { source }: FailureContext): string {
  const place = source(ids[0] ?? '');
  return `npx assay show ${(place === null ? [cassette, ...ids] : [place.path, place.id]).join(' ')}`;
}

export function failureBlocks(
  text: FailureText,
  { columns, paint, mark }: { columns: Columns; paint: Colours; mark: (value: string) => string },
): readonly (readonly string[])[] {
  const field = (label: string, value: string, colour: (line: string) => string) =>
    hangLines(label, wrapText(value, narrowBy(columns, label.length)).map(colour));
  return [
    [...wrapText(`${text.level}  ${text.says}`, columns, text.level.length + 2), `spec  ${text.spec}`],
    ...(text.known === undefined ? [] : [wrapText(`known because: ${text.known}`, columns, 2)]),
    ...text.findings.map(({ at, expected, actual }) => [
      ...field('at        ', at, (line) => line),
      ...field('expected  ', expected, paint.green),
      ...field('actual    ', actual, mark),
    ]),
    ...(text.more === null ? [] : [[text.more]]),
    ...(text.consequenceOf.length === 0
      ? []
      : [wrapText(`because of ${text.consequenceOf.join(', ')}`, columns, 2)]),
    ...text.wire.map((lines) => lines.map(paint.dim)),
    text.next.flatMap(({ what, text: words }) => {
      const label = `${what.padEnd(5)}  `;
      const wrap = what === 'set' ? wrapText : wrapCommand;
      return hangLines(label, wrap(words, narrowBy(columns, label.length)));
    }),
  ];
}

export function plainFailure(text: FailureText): string {
  const blocks = failureBlocks(text, { columns: null, paint: PLAIN, mark: PLAIN.dim });
  return blocks.map((block) => block.join('\n')).join('\n\n');
}
