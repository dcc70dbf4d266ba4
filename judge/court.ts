import type { Exchange } from '../exchange/exchange.ts';
import { isNote, type TraceHeader, type TraceItem } from '../exchange/trace.ts';
import { Call } from './call.ts';
import { type Bench, type Catalogue, type Examiner, type Rule, rulesOf } from './catalogue.ts';
import { ChoiceRegister } from './choices.ts';
import { CostTally } from './cost.ts';
import type { Dialect } from './dialect.ts';
import { Docket } from './docket.ts';
import { Excuses } from './excuses.ts';
import { Gathering } from './gathering.ts';
import { History } from './history.ts';
import { LifeTally } from './lives.ts';
import { OperationTally } from './operations.ts';
import type { Complaint } from './requirement.ts';
import { Ruling } from './ruling.ts';
import type { Judgement } from './verdict.ts';

/** Judges one trace, item by item, in memory that does not grow with it. */
export interface Judge {
  /** Items in the order in which they ended. */
  feed(item: TraceItem): void;
  /** What follows is of another trace, a shard of the same run: nothing so far came before or after it. */
  next(): void;
  /** The trace is over. To be called once. */
  finish(): Judgement;
}

export interface JudgeOptions {
  readonly catalogue: Catalogue;
  readonly header: TraceHeader;
  /** The dialect that the header names; null, the default, for the specification as it is. */
  readonly dialect?: Dialect | null;
  /** Calls of this trace that are understood already: by who judges much of it again. */
  readonly understood?: ReadonlyMap<Exchange, Call>;
  /** Told of each disagreement when it is met, before it is known how often it comes. */
  readonly onComplaint?: (complaint: Complaint, rule: Rule, evidence: readonly Exchange[]) => void;
}

/** Opens a judge. Live runs, cassettes and watched traffic all go through here. */
export function openJudge({
  catalogue,
  header,
  dialect = null,
  understood,
  onComplaint,
}: JudgeOptions): Judge {
  const dockets = new Map([...rulesOf(catalogue)].map(([id, rule]) => [id, new Docket(rule)]));
  const excuses = new Excuses(dialect);
  const bench = benchOf(header, dockets, excuses, onComplaint ?? (() => {}));
  const choices = new ChoiceRegister(catalogue.choices);
  const listening = catalogue.sections.flatMap(({ listeners }) => listeners ?? []);
  const apart = catalogue.sections.filter(({ listeners }) => listeners === undefined);
  const gather = () =>
    new Gathering([...choices.listeners(), ...listening.flatMap((listeners) => listeners(bench))]);
  const open = () => [...apart.map((section) => section.open(bench)), gather()];
  let examiners: readonly Examiner[] = open();
  const history = new History(catalogue.scenarios);
  const tally = new OperationTally();
  const cost = new CostTally();
  const lives = new LifeTally(catalogue.lives ?? []);
  return {
    feed(item) {
      if (isNote(item)) {
        history.note(item);
        return;
      }
      cost.exchange(item);
      const call = understood?.get(item) ?? Call.of(item, header.betaHeader, excuses);
      if (call === null) {
        const elsewhere = Call.elsewhere(item, header.betaHeader);
        if (elsewhere !== null) for (const examiner of examiners) examiner.elsewhere?.(elsewhere);
        for (const examiner of examiners) examiner.download?.(item);
        return;
      }
      tally.call(call);
      lives.call(call);
      for (const examiner of examiners) examiner.call(call);
    },
    next() {
      for (const examiner of examiners) examiner.finish();
      examiners = open();
      lives.next();
      history.next();
    },
    finish() {
      for (const examiner of examiners) examiner.finish();
      const ruling = new Ruling({ header, history, tally, infeasible: catalogue.infeasible });
      const requirements = [...dockets.values()].map((docket) => ruling.of(docket));
      return {
        requirements,
        errata: excuses.verdicts(requirements),
        choices: choices.verdicts(),
        operations: tally.verdicts(new Set(header.claims.families)),
        blockers: ruling.blockers(),
        stopReason: history.stopReason,
        stop: history.stop,
        hints: history.hints,
        states: lives.verdicts(),
        cost: { requests: cost.requests, bytes: cost.bytes, tokens: cost.tokens },
      };
    },
  };
}

/** Judges a whole trace at once. */
export function judge(
  catalogue: Catalogue,
  header: TraceHeader,
  items: Iterable<TraceItem>,
  understood: ReadonlyMap<Exchange, Call> = new Map(),
): Judgement {
  const open = openJudge({ catalogue, header, understood });
  for (const item of items) open.feed(item);
  return open.finish();
}

function benchOf(
  header: TraceHeader,
  dockets: ReadonlyMap<string, Docket>,
  excuses: Excuses,
  tell: NonNullable<JudgeOptions['onComplaint']>,
): Bench {
  const docket = (id: string): Docket => {
    const found = dockets.get(id);
    if (found === undefined) throw new Error(`${id} is judged, but not in the catalogue`);
    return found;
  };
  return {
    header,
    observe(id, times) {
      docket(id).observations += times;
    },
    object(id, complaint, evidence) {
      const erratum = excuses.find(id, complaint);
      if (erratum !== null) {
        docket(id).excuse ??= erratum;
        return;
      }
      const named = complaint.exchange;
      const shown = evidence.find((exchange) => exchange.id === named) ?? evidence.at(-1);
      const call = shown === undefined ? null : Call.of(shown, header.betaHeader, excuses.dialect);
      docket(id).object(complaint, named ?? shown?.id ?? '', call);
      if (complaint.inconclusive === undefined) tell(complaint, docket(id).rule, evidence);
    },
    block(id, exchange, obstacle) {
      docket(id).blocked ??= { exchange, obstacle };
    },
    fault(id, error) {
      // What is nested so deeply that it cannot be walked is the target's, not a defect of ours.
      if (error instanceof RangeError && /call stack/i.test(error.message))
        docket(id).inconclusive ??= { kind: 'nesting' };
      else docket(id).fault ??= error instanceof Error ? error.message : String(error);
    },
  };
}
