import { join } from 'node:path';
import type { RunConfiguration } from '../../drive/configuration/configuration.ts';
import type { DriveResult } from '../../drive/run.ts';
import { type ClaimedNames, claimedNames, claimsOperation } from '../../exchange/claims.ts';
import { EARLIER_FOLDER } from '../../pipeline/report/earlier-files.ts';
import { DEFAULT_WIDTH } from '../../pipeline/report/write-reports.ts';
import type { EarlierLedger } from '../../pipeline/resume/earlier-ledger.ts';
import type { RunEvent } from '../../pipeline/run.ts';
import { quarantineWords } from '../../proxy/record/recorder-words.ts';
import { shellQuote } from '../../reports/failure/curl-command.ts';
import { printable } from '../../reports/failure/excerpt.ts';
import { plural } from '../../reports/report.ts';
import { crashLines } from '../../reports/terminal/crashed.ts';
import { traceLines } from '../../reports/terminal/trace.ts';
import { type Columns, wrapText } from '../../reports/terminal/wrap.ts';
import { hintWords } from '../../reports/words/hint.ts';
import { waitWords } from '../../reports/words/leftover.ts';
import { refusedKeyWords } from '../../reports/words/refused-key.ts';
import { shortList } from '../../reports/words/short-list.ts';
import { isOfTarget, stopWords } from '../../reports/words/stop.ts';
import { operation, operations } from '../../schemas/index.ts';
import { leftoverLines } from './leftover-lines.ts';

/**
 * The lines that a run prints on stderr for an event; none for most. They report what the report does not contain.
 * `width`: columns of the terminal; null for a pipe, whose lines stay whole.
 */
export function runNotice(event: RunEvent, width: Columns = null): readonly string[] {
  // Texts that a target or an older cassette supplied pass `printable`: escape sequences in them must not
  // reach the terminal.
  switch (event.kind) {
    case 'earlier-ledger':
      return earlierLedger(event.earlier);
    case 'earlier-report-kept':
      return [`${event.reportDir} keeps the report of the run before; this one wrote none.`];
    case 'earlier-reports-moved':
      return wrapText(
        `${event.names.join(', ')} of an earlier run: now in ${join(event.reportDir, EARLIER_FOLDER)}, because this run did not write that format.`,
        width,
        2,
      );
    case 'resumed': {
      if (event.waitingScenarios.length === 0)
        return [`--resume ${event.reportDir}: no scenario is waiting. This is the result of the run.`];
      const names = event.waitingScenarios.map(({ scenario, state }) => `${scenario} (${printable(state)})`);
      return [`resuming ${names.join(', ')}`];
    }
    case 'hint':
      return [printable(hintWords(event.hint))];
    case 'awaits-target':
      return [`waiting for the target: ${printable(event.why)} (at most ${event.most} s)`];
    case 'waits':
      return [currentWait(event.wait)];
    case 'driven':
      return driven(event.result, event.configuration);
    case 'claimed':
      return claimed(event).flatMap((line) => wrapText(line, width, 2));
    case 'claim-not-offered': {
      const { names, offered } = event;
      const text = `The target does not offer ${names.join(', ')}: it answers as for a path that no service has. It offers ${familiesIn({ families: offered })}; without --claim, a run judges what the target offers.`;
      return wrapText(text, width, 2);
    }
    case 'item':
      return traceLines(event.item, width ?? DEFAULT_WIDTH);
    default:
      return [];
  }
}

function currentWait(wait: Extract<RunEvent, { kind: 'waits' }>['wait']): string {
  return `${wait.scenario} waits: ${printable(waitWords(wait))} (at most ${wait.most} s more)`;
}

/** Model ids that are printed; the others are counted. */
const NAMED_MODELS = 5;

/** Lines on what the target offers, found by requests, and on how to claim something else. */
function claimed({
  claims,
  unaffordable,
  refused,
  models,
}: Extract<RunEvent, { kind: 'claimed' }>): readonly string[] {
  if (refused !== null)
    return [refusedKeyWords(refused), 'It is judged all the same; --claim FAMILY,… judges only these.'];
  const offered = operations().filter(({ id }) => claimsOperation(claims, id));
  const count = `${offered.length} of ${operations().length} operations`;
  const names = claimedNames(claims).join(',');
  const ids = models ?? [];
  const listed = ids.length === 0 ? '' : `; models ${shortList(ids.map(printable), NAMED_MODELS)}`;
  return [
    `The target offers ${names === '' ? 'nothing that was found' : familiesIn(claims)} (${count})${listed}.`,
    `These are judged; --claim all judges everything, --claim ${names === '' ? 'FAMILY,…' : names} the same without asking.`,
    ...tooCostly(unaffordable),
  ];
}

/** The families of what is claimed, as a phrase: `chat, files and models`. */
function familiesIn(claims: ClaimedNames): string {
  const single = (claims.operations ?? []).map((id) => operation(id).variants[0]?.family ?? id);
  const all = [...new Set([...claims.families, ...single])];
  const last = all.pop() ?? '';
  return all.length === 0 ? last : `${all.join(', ')} and ${last}`;
}

/** A line on operations that are left out because exercising them costs more than is allowed. */
function tooCostly(unaffordable: Extract<RunEvent, { kind: 'claimed' }>['unaffordable']): readonly string[] {
  if (unaffordable.length === 0) return [];
  const costs = [...new Set(unaffordable.flatMap(({ allow }) => allow))];
  const ids = unaffordable.map(({ operation: id }) => id).join(', ');
  return [`Not judged without --allow ${costs.join(',')}: ${ids}.`];
}

/** Lines on the ledger of an earlier run in the same folder, whose resources may still be on its target. */
function earlierLedger({ file, aside, left }: EarlierLedger): readonly string[] {
  if (left === null)
    return [`${file} cannot be read as the ledger of an earlier run; it is kept as ${aside}.`];
  return [
    `An earlier run left up to ${plural(left.objects, 'object')} on ${left.baseUrl}.`,
    `Remove them with: npx assay cleanup --ledger ${shellQuote(aside)}`,
  ];
}

/**
 * Lines on facts that are not in the trace: crashes of assay, and resources that are still on the target. The
 * order is by consequence: the cause of an early end, then defects, then what the user has to remove or
 * resume.
 */
function driven(
  { stop, crashed, leftovers, ledger, waiting, quarantined }: DriveResult,
  { target, report, reportDir, apiKey, keyVariable, betaHeader }: RunConfiguration,
): readonly string[] {
  // The verdict already describes a target that cannot be used.
  const isPrintedBelow = stop !== null && report.includes('terminal') && isOfTarget(stop.reason);
  // The embedded service ends with the run, together with all its resources.
  const left = target.embedded ? [] : leftovers;
  return [
    ...(stop === null || isPrintedBelow ? [] : [stopWords(stop)]),
    ...crashLines(crashed),
    ...(quarantined === null ? [] : [quarantineWords(quarantined)]),
    ...leftoverLines(left, { apiKey, keyVariable, betaHeader, baseUrl: target.baseUrl, ledger }),
    ...(left.some(({ final }) => !final)
      ? [`try again to remove it with: npx assay cleanup --ledger ${shellQuote(ledger)}`]
      : []),
    ...waiting.map((one) => `${one.scenario} waits: ${printable(waitWords(one.wait))}`),
    ...(waiting.length > 0
      ? [
          `Their resources stay on the target. Resume later with: npx assay run --resume ${shellQuote(reportDir)}`,
          `or discard and remove them with: npx assay cleanup --ledger ${shellQuote(ledger)}`,
        ]
      : []),
  ];
}
