// The step after a run that brings most, as a command to paste.
import { claimedNames, claimsNamed } from '../../exchange/claims.ts';
import { isOnClient } from '../../judge/client/client-side.ts';
import type { DiagnosisVerdict } from '../../judge/verdict/verdict.ts';
import { shellQuote } from '../failure/curl-command.ts';
import type { FailureContext } from '../failure/failure.ts';
import { openCauses, type Report, unexcusedRequirements } from '../report.ts';
import { type Columns, wrapCommand } from './wrap.ts';

/** Precedes the command that claims fewer families. */
export const CLAIM_COMMAND_INTRO = 'to judge only what this target offers:';

/** Where commands come from, and the columns of the terminal; null for a pipe. */
export interface NextStepOptions extends Pick<FailureContext, 'claiming' | 'again' | 'exchange' | 'baseUrl'> {
  readonly columns: Columns;
}

/** Against a partial target: the command that claims what it does offer, by operation where a family is not whole. Null where it offers all that is claimed. */
export function claimCommand(report: Report, { claiming }: Pick<FailureContext, 'claiming'>): string | null {
  const claimed = report.operations.filter((operation) => operation.claimed);
  const missing = new Set(claimed.filter((row) => row.notImplemented).map(({ family }) => family));
  const used = claimed.filter(({ exercised }) => exercised > 0);
  if (missing.size === 0 || used.length === 0) return null;
  const names = new Set(used.map(({ id, family }) => (missing.has(family) ? id : family)));
  return claiming(claimedNames(claimsNamed([...names])));
}

/** What to do next: a command to paste, with its introduction; nothing where nothing is left to do. */
export function nextLines(report: Report, options: NextStepOptions): string[] {
  const columns = options.columns === null ? null : options.columns - 2;
  const step = nextStep(report, options);
  return step === null ? [] : [step.intro, ...wrapCommand(step.command, columns).map((line) => `  ${line}`)];
}

/** The step that brings most: to claim what is offered, to look at the first failure, to look at what could not be decided. */
function nextStep(report: Report, options: NextStepOptions): { intro: string; command: string } | null {
  const claim = claimCommand(report, options);
  if (claim !== null) return { intro: CLAIM_COMMAND_INTRO, command: claim };
  const [first] = [
    ...openCauses(report).flatMap(brokenBy),
    ...unexcusedRequirements(report, 'fail').map(({ id }) => id),
  ];
  if (first !== undefined) {
    const exchange = report.requirements.find(({ id }) => id === first)?.findings[0]?.exchange;
    const command = options.again(first, exchange === undefined ? undefined : options.exchange(exchange));
    const how = isOnClient(first) ? 'run the client again' : 'judge it alone';
    return { intro: `next: mend the first failure above, and ${how}:`, command };
  }
  const open = report.requirements.find(
    ({ verdict, level }) => verdict === 'inconclusive' && level === 'MUST',
  );
  if (open === undefined) return null;
  return {
    // Where the gate passed, it is allowed already.
    intro: `next: see why one could not be decided${report.summary.verdict === 'cannot-tell' ? ', or pass --allow-inconclusive' : ''}:`,
    command: `npx assay explain ${shellQuote(open.id)}${baseUrlFlag(options)}`,
  };
}

/** The target, for commands that propose others. */
function baseUrlFlag({ baseUrl }: NextStepOptions): string {
  return baseUrl === null ? '' : ` --base-url ${shellQuote(baseUrl)}`;
}

/** Ids of the requirements that a cause breaks. */
function brokenBy({ operations }: DiagnosisVerdict): readonly string[] {
  return operations.map(({ requirement }) => requirement);
}
