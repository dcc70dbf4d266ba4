import type { Exchange } from '../exchange/exchange.ts';
import { isNote } from '../exchange/trace.ts';
import { openJudge } from '../explain/judge.ts';
import { betaValuesOf } from '../judge/client/request-requirements.ts';
import { UPLOAD_OPERATION } from '../judge/client/uploads.ts';
import type { Catalogue } from '../judge/requirements/catalogue.ts';
import { Call, operationOf } from '../judge/trace/call.ts';
import type { RecordedTrace } from './mutants/mutant.ts';
import { withoutLabel } from './mutations/requests.ts';

/** Rules that the suite breaks on purpose in unlabelled requests, to learn how a service handles them. */
const BROKEN_ON_PURPOSE = new Set([
  'client.assistants.one-sampling',
  'client.assistants.own-version',
  'client.batches.custom-ids',
  'client.batches.line-fields',
  'client.batches.line-method',
  'client.batches.line-url',
  'client.batches.same-endpoint',
  'client.files.jsonl-lines',
  'client.messages.metadata-only',
]);

/**
 * Presents a run of the suite as the session of a conforming client, for mutation testing: accepted requests that break
 * no rule on purpose lose their scenario and label. Labelled violations keep both; mutations remove them to make
 * violations that nothing announces.
 */
export function clientTrace(catalogue: Catalogue, { header, items }: RecordedTrace): RecordedTrace {
  const ordinary = items.map((item) =>
    !isNote(item) && isOrdinary(item, header.betaHeader) ? withoutLabel(item) : item,
  );
  const breakingIds = new Set<string>();
  const judge = openJudge({
    catalogue,
    header,
    onViolation: (_, { id }, evidence) => {
      for (const exchange of evidence)
        if (BROKEN_ON_PURPOSE.has(id) || isInBatchLine(id, exchange)) breakingIds.add(exchange.id);
    },
  });
  for (const item of ordinary) judge.feed(item);
  judge.finish();
  return {
    header,
    items: ordinary.map((item, i) => (!isNote(item) && breakingIds.has(item.id) ? (items[i] ?? item) : item)),
  };
}

/** A violation in a request line of an uploaded file has the id of the operation that the line calls. */
function isInBatchLine(id: string, exchange: Exchange): boolean {
  const isOfOtherOperation = id.startsWith('client:') && !id.startsWith(`client:${UPLOAD_OPERATION}:`);
  return isOfOtherOperation && operationOf(exchange.request)?.operation.id === UPLOAD_OPERATION;
}

function isOrdinary(exchange: Exchange, betaHeader: string): boolean {
  const call = Call.from(exchange, betaHeader);
  if (call === null || exchange.probe?.side === 'violation' || call.responseClass !== 'accepted')
    return false;
  const expected = betaValuesOf(call.operation);
  const sent = exchange.request.headers.filter(([name]) => name.toLowerCase() === betaHeader.toLowerCase());
  return expected.length === 0 || sent.some(([, value]) => expected.includes(value));
}
