import { join } from 'node:path';
import type { RunConfiguration } from '../../drive/configuration/configuration.ts';
import type { DriveResult } from '../../drive/run.ts';
import { type ClaimedNames, claimedNames, claimsOperation } from '../../exchange/claims.ts';
import { printable } from '../../exchange/printable.ts';
import { shellQuote } from '../../exchange/shell-quote.ts';
import { EARLIER_FOLDER } from '../../pipeline/report/earlier-files.ts';
import type { EarlierLedger } from '../../pipeline/report/earlier-ledger.ts';
import { keyFlag } from '../../pipeline/report/rerun-command.ts';
import { DEFAULT_WIDTH } from '../../pipeline/report/write-reports.ts';
import type { RunEvent } from '../../pipeline/run.ts';
import { quarantineWords } from '../../proxy/record/recorder-words.ts';
import { extensionFlags } from '../../reports/failure/extension-flags.ts';
import { traceLines } from '../../reports/terminal/trace.ts';
import { crashLines } from '../../reports/words/defect.ts';
import { hintWords, refusedKeyWords } from '../../reports/words/hint.ts';
import { type Columns, wrapText } from '../../reports/words/layout.ts';
import { isTargetLost, stopWords } from '../../reports/words/stop.ts';
import { waitWords } from '../../reports/words/wait.ts';
import { operation as operationOf, operations } from '../../schemas/index.ts';
import { compact, plural, shortList } from '../../schemas/message-text.ts';
import { leftoverLines } from './leftover-lines.ts';

const MAX_NAMED_MODELS = 5;

/** Returns the lines to print for an event, if any. `width`: null leaves lines whole, except those of exchanges. */
export function runNotice(event: RunEvent, width: Columns = null): readonly string[] {
  // Texts from targets and recordings go through `printable`: they may contain escape sequences.
  switch (event.kind) {
    case 'earlier-ledger':
      return earlierLedgerLines(event.earlier);
    case 'earlier-report-kept':
      return [`${event.reportDir} keeps the report of the previous run; this one wrote none.`];
    case 'earlier-reports-moved':
      return wrapText(
        `${event.names.join(', ')} of an earlier run: now in ${join(event.reportDir, EARLIER_FOLDER)}, because this run did not write that format.`,
        width,
        2,
      );
    case 'resumed': {
      if (event.waitingScenarios.length === 0)
        return [
          `--resume ${event.reportDir}: no scenario is waiting, so no request is sent. This is what the run has shown; to test more, start a new run.`,
        ];
      const names = event.waitingScenarios.map(({ scenario, state }) => `${scenario} (${state})`);
      return [printable(`resuming ${names.join(', ')}`)];
    }
    case 'hint':
      return [printable(hintWords(event.hint))];
    case 'awaits-target':
      return [`waiting for the target: ${printable(event.why)} (at most ${event.most} s)`];
    case 'looking':
      return [`finding out what the target offers: ${plural(event.answers, 'answer')} so far`];
    case 'waits':
      return [
        `${event.wait.scenario} waits: ${printable(waitWords(event.wait))} (at most ${event.wait.most} s more)`,
      ];
    case 'driven':
      return drivenLines(event.result, event.configuration);
    case 'claimed':
      return claimLines(event).flatMap((line) => wrapText(line, width, 2));
    case 'item':
      return traceLines(event.item, width ?? DEFAULT_WIDTH);
    default:
      return [];
  }
}

function claimLines(event: Extract<RunEvent, { kind: 'claimed' }>): readonly string[] {
  const { claims, unaffordable, refused, limited, models } = event;
  if (refused !== null)
    return [refusedKeyWords(refused), 'The target is judged anyway; --claim FAMILY,… judges only these.'];
  const offered = operations().filter(({ id }) => claimsOperation(claims, id));
  const count = `${offered.length} of ${operations().length} operations`;
  const names = claimedNames(claims).join(',');
  const ids = models ?? [];
  const listed = ids.length === 0 ? '' : `; models ${shortList(ids.map(printable), MAX_NAMED_MODELS)}`;
  const costs = new Set(unaffordable.flatMap(({ allow }) => allow));
  return compact(
    `The target offers ${names === '' ? 'nothing that was found' : familiesIn(claims)} (${count})${listed}.`,
    names === ''
      ? 'Nothing is judged; --claim all judges everything, --claim FAMILY,… what it names.'
      : `These are judged; --claim all judges everything, --claim ${names} the same without detection.`,
    unaffordable.length > 0 &&
      `Not judged without --allow ${[...costs].join(',')}: ${unaffordable.map((one) => one.operation).join(', ')}.`,
    limited.length > 0 &&
      `Not judged, as the target answered nothing but 429: ${limited.join(', ')}; --rate-limit N sends N requests a second.`,
  );
}

function familiesIn(claims: ClaimedNames): string {
  const single = (claims.operations ?? []).map((id) => operationOf(id).variants[0]?.family ?? id);
  const all = [...new Set([...claims.families, ...single])];
  const last = all.pop() ?? '';
  return all.length === 0 ? last : `${all.join(', ')} and ${last}`;
}

function earlierLedgerLines({ file, aside, left }: EarlierLedger): readonly string[] {
  if (left === null)
    return [`${file} cannot be read as the ledger of an earlier run; it is kept as ${aside}.`];
  return [
    `An earlier run left up to ${plural(left.objects, 'object')} on ${printable(left.baseUrl)}.`,
    `Remove them with: npx assay cleanup --ledger ${shellQuote(aside)}`,
  ];
}

function drivenLines(
  { stop, crashed, leftovers, ledger, waiting, quarantined }: DriveResult,
  configuration: RunConfiguration,
): readonly string[] {
  const { target, report, reportDir, apiKey, keyVariable } = configuration;
  const atTarget = ` --base-url ${shellQuote(target.baseUrl)}${keyFlag({ key: apiKey !== null }, keyVariable)}`;
  // The verdict already describes an unusable target.
  const isPrintedBelow = stop !== null && report.includes('terminal') && isTargetLost(stop.reason);
  // The embedded service ends with the run, together with its resources.
  const remaining = target.embedded ? [] : leftovers;
  const resumeLines = [
    `Their resources stay on the target. Resume later with: npx assay run --resume ${shellQuote(reportDir)}${extensionFlags()}${atTarget}`,
    `or discard and remove them with: npx assay cleanup --ledger ${shellQuote(ledger)}${atTarget}`,
  ];
  return compact(
    stop !== null && !isPrintedBelow && printable(stopWords(stop)),
    ...crashLines(crashed),
    quarantined !== null && quarantineWords(quarantined),
    ...leftoverLines(remaining, { ...configuration, baseUrl: target.baseUrl, ledger }),
    remaining.some(({ final }) => !final) &&
      `try to remove what is left with: npx assay cleanup --ledger ${shellQuote(ledger)}${atTarget}`,
    ...waiting.map((one) => `${one.scenario} waits: ${printable(waitWords(one.wait))}`),
    ...(waiting.length > 0 ? resumeLines : []),
  );
}
