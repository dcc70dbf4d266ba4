// Applies changes that break requirements to a recorded run, one answer at a time like `assay serve --fault`, and
// judges the result. Prints each change that its requirement does not report, and exits with 1 if there is one.
import { readTrace } from '../exchange/cassette/cassette.ts';
import type { Exchange } from '../exchange/exchange.ts';
import { matchesGlob } from '../exchange/glob.ts';
import { isNote } from '../exchange/trace.ts';
import type { RequirementSet } from '../judge/requirements/catalogue.ts';
import { Call } from '../judge/trace/call.ts';
import { MAX_EARLIER_CALLS } from '../pipeline/faulty-reference/faulty-reference.ts';
import { type LiveFault, readLiveFault } from '../pipeline/faulty-reference/live-fault.ts';
import { RequirementSpy } from '../proof/mutant-runner.ts';
import { mutationKindsOf } from '../proof/mutants/mutants.ts';
import { UnknownFault } from '../reference/faults/known.ts';
import { catalogue } from '../suites/index.ts';
import { parseScriptArguments, rejectArguments } from './script-arguments.ts';

const USAGE = 'tsx scripts/prove-live.ts CASSETTE [--only GLOB] [--share INDEX/COUNT]';
const { positionals, values } = parseScriptArguments(
  { only: { type: 'string', default: '*' }, share: { type: 'string', default: '0/1' } },
  USAGE,
);
const [cassette] = positionals;
if (cassette === undefined) rejectArguments('No cassette is named.', USAGE);
const [, index = 0, shareCount = 0] = /^(\d+)\/(\d+)$/.exec(values.share)?.map(Number) ?? [];
if (index >= shareCount)
  rejectArguments(`--share ${values.share}: give a count and an index less than it, such as 0/2.`, USAGE);
const { header, items } = await readTrace(cassette);
const recordedCalls = items
  .filter((item): item is Exchange => !isNote(item))
  .map((exchange) => ({ exchange, call: Call.from(exchange, header.betaHeader) }));
const ownCatalogue = await catalogue();

const faults = ownCatalogue.requirementSets.flatMap((set) =>
  set.requirements
    .filter(({ id }) => matchesGlob(values.only, id))
    .flatMap(({ id, kind }) =>
      kind === 'behaviour'
        ? mutationKindsOf(set, id).map((change) => ({ set, text: `${id}/${change}` }))
        : [{ set, text: id }],
    ),
);
let unnoticed = 0;
const share = faults.filter((_, n) => n % shareCount === index);
for (const { set, text } of share) {
  if (isNoticed(set, text)) continue;
  unnoticed += 1;
  process.stdout.write(`${text} is not reported by its requirement\n`);
}
process.stdout.write(`${share.length} changes, ${unnoticed} of them unnoticed\n`);
process.exitCode = unnoticed === 0 ? 0 : 1;

/** Whether the requirement fails on the changed answers; true without evidence, and for changes of a whole trace. */
function isNoticed(set: RequirementSet, text: string): boolean {
  let fault: LiveFault;
  try {
    fault = readLiveFault(text, ownCatalogue, header.betaHeader);
  } catch (error) {
    if (error instanceof UnknownFault) return true;
    throw error;
  }
  const spy = new RequirementSpy(header, fault.requirement ?? '');
  const evaluator = set.open(spy, fault.requirement ?? '');
  const before: Exchange[] = [];
  for (const { exchange, call } of recordedCalls) {
    // Other calls are not evidence for the requirement.
    if (call !== null && !fault.operations.has(call.operation.id)) continue;
    const result = call === null ? exchange : fault.change(exchange, before);
    if (call !== null && before.push(exchange) > MAX_EARLIER_CALLS) before.shift();
    const judgedCall = result === exchange ? call : Call.from(result, header.betaHeader);
    if (judgedCall === null) evaluator.download?.(result);
    else evaluator.call(judgedCall);
    if (spy.violations > 0) return true;
  }
  evaluator.finish();
  evaluator.conclude?.();
  return spy.violations > 0 || spy.observations === 0;
}
