import type { Json } from '../../exchange/body.ts';
import type { Exchange } from '../../exchange/exchange.ts';
import type { Call } from '../../judge/call.ts';
import { get, text } from '../../judge/json.ts';
import { Keyed } from '../../judge/keyed.ts';
import type { Complaint, Evidence, Selector } from '../../judge/requirement.ts';
import { only, stateless } from '../../judge/selectors/answers.ts';
import { STREAMING, taleOf } from './tale.ts';

/** What an answer tells of the run that it created: the run itself, or a run in each event that has one. */
export interface RunAnswer extends Evidence {
  readonly call: Call;
  readonly asked: Json | undefined;
  /** At least one; `at` is the beginning of a place within it: `event 3 `, or nothing. */
  readonly runs: readonly { readonly at: string; readonly run: Json }[];
  readonly streamed: boolean;
}

/** The answers that create runs, streamed or not. */
export function runAnswers(): Selector<RunAnswer> {
  return stateless('run answers', STREAMING, {}, (call) => {
    const answer = runAnswerOf(call);
    return answer === null ? [] : [answer];
  });
}

export function runAnswerOf(call: Call): RunAnswer | null {
  const { answer, asked } = call;
  const common = { exchanges: [call.exchange], call, asked };
  const tale = taleOf(call);
  if (tale !== null) {
    const runs = tale.runs.flatMap(({ at, data }) =>
      data === undefined ? [] : [{ at: `${at} `, run: data }],
    );
    return runs.length === 0 ? null : { ...common, runs, streamed: true };
  }
  if (answer === undefined || text(answer, 'object') !== 'thread.run') return null;
  return { ...common, runs: [{ at: '', run: answer }], streamed: false };
}

/** An id with that of its thread: ids are sure to be different only below one. */
export function keyBelow(thread: string | undefined, id: string): string {
  return JSON.stringify([thread ?? null, id]);
}

/** The id of a run, and the earlier answer that created one of the same id on the same thread. */
export interface RunIdentity extends Evidence {
  readonly id: string;
  readonly earlier: Exchange | null;
}

export function runIdentities(): Selector<RunIdentity> {
  return {
    operations: STREAMING,
    variant: null,
    collect: () => {
      const seen = new Keyed<Exchange>();
      return {
        call: (call) => {
          const run = runAnswerOf(call)?.runs[0]?.run;
          const id = text(run, 'id');
          if (id === undefined) return [];
          const key = keyBelow(text(run, 'thread_id'), id);
          const earlier = seen.get(key) ?? null;
          seen.set(key, call.exchange);
          return [{ id, earlier, exchanges: earlier === null ? [call.exchange] : [earlier, call.exchange] }];
        },
        finish: () => [],
      };
    },
  };
}

/** Answers that tell a run in one of these states. */
export function runsIn(...states: readonly string[]) {
  return only(runAnswers(), ({ runs }) => runs.some(({ run }) => states.includes(text(run, 'status') ?? '')));
}

/** Fields that are set though the run is in one of these states. */
export function setWhile(
  { runs }: RunAnswer,
  states: readonly string[],
  fields: readonly string[],
): readonly Complaint[] {
  return runs
    .filter(({ run }) => states.includes(text(run, 'status') ?? ''))
    .flatMap(({ at, run }) =>
      fields
        .filter((field) => (get(run, field) ?? null) !== null)
        .map((field) => ({
          at: `${at}/${field}`,
          expected: `null while ${text(run, 'status')}`,
          actual: get(run, field),
        })),
    );
}
