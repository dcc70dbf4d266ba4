// Outcomes of requests, as far as they can be added up over parts of the traffic, and the explanation of what was refused.
import { LruMap } from '../../evidence/lru-map.ts';
import { addCount } from '../../partial/earliest.ts';
import type { AcceptanceVerdict } from '../acceptance-verdict.ts';
import { breakdownsIn } from '../breakdowns.ts';
import type { RequestRow } from '../causes/candidates.ts';
import { shareOf } from '../causes/share.ts';
import { type Diagnosis, diagnose, refusesAll, withUndecided } from '../diagnosis.ts';
import type { OpenPoint } from '../open-points.ts';
import type { AcceptancePart, UndecidedPart } from './acceptance-part.ts';
import { FailedRequests } from './failed-requests.ts';
import {
  NAMED_REFUSALS,
  type RefusedKind,
  RefusedKinds,
  repeatedFeatures,
  requestRows,
} from './refused-kinds.ts';
import { digestOf } from './sent-part.ts';
import { SentRequests } from './sent-requests.ts';
import { UnansweredRequests } from './unanswered.ts';
import { WithdrawnKeys } from './withdrawn-keys.ts';

/** Refusals of requests that need not be accepted, which are kept. */
const UNDECIDED = 2000;

/** Counts of what became of requests that keep the specification, in bounded memory. */
export class AcceptanceTally {
  readonly kinds = new RefusedKinds();
  readonly sent = new SentRequests();
  readonly unanswered = new UnansweredRequests();
  readonly failed = new FailedRequests();
  readonly keys = new WithdrawnKeys();
  /** Facts that requests have shown to be good. */
  readonly #proven = new LruMap<true>();
  /** Valid requests that were answered with 2xx, by operation and variant. */
  readonly #accepted = new Map<string, { times: number; at: number }>();
  readonly #open = new Map<string, number>();
  #undecided: UndecidedPart[] = [];
  /** Exchanges whose refusal a choice permits. */
  readonly #permitted = new LruMap<true>(NAMED_REFUSALS);
  /** Exchanges of operations that the account has no right to call. */
  readonly #denied: string[] = [];

  /** A request has shown this to be good. */
  prove(assumption: string): void {
    this.#proven.set(assumption, true);
  }

  /** Counts an accepted request. `at`: how many exchanges have ended. */
  accept(subject: string, times: number, at: number): void {
    const known = this.#accepted.get(subject);
    if (known === undefined) this.#accepted.set(subject, { times, at });
    else Object.assign(known, { times: known.times + times, at: Math.min(known.at, at) });
  }

  /** A choice permits that this exchange was refused. */
  permit(exchange: string): void {
    this.#permitted.set(exchange, true);
  }

  isPermitted(exchange: string): boolean {
    return this.#permitted.get(exchange) === true;
  }

  /** The trace does not show whether a 2xx was due. */
  leaveOpen(why: OpenPoint, times: number): void {
    addCount(this.#open, why, times);
  }

  /** Keeps a refusal that is in order here: other requirements may fail by it. */
  keepUndecided(refusal: UndecidedPart): void {
    if (this.#undecided.length < UNDECIDED) this.#undecided.push(refusal);
  }

  /** The content of a partial verdict. */
  part(): AcceptancePart {
    return {
      kinds: this.kinds.part(),
      proven: [...this.#proven.entries()].map(([assumption]) => digestOf(assumption)),
      sent: this.sent.part(),
      unanswered: this.unanswered.part(),
      failed: this.failed.part(),
      keys: this.keys.part(),
      accepted: [...this.#accepted].map(([subject, counted]) => ({ subject, ...counted })),
      open: [...this.#open],
      undecided: this.#undecided,
      permitted: [...this.#permitted.entries()].map(([exchange]) => exchange),
    };
  }

  /** Adds what another part of the traffic shows. */
  absorb(part: AcceptancePart): void {
    this.kinds.absorb(part.kinds);
    for (const assumption of part.proven) this.prove(assumption);
    const repeated = new Set(this.sent.absorb(part.sent));
    this.unanswered.absorb(part.unanswered);
    this.failed.absorb(part.failed);
    this.keys.absorb(part.keys);
    for (const { subject, times, at } of part.accepted) this.accept(subject, times, at);
    for (const [why, times] of part.open) addCount(this.#open, why, times);
    this.#undecided = [...this.#undecided, ...part.undecided]
      .toSorted((a, b) => a.at - b.at)
      .slice(0, UNDECIDED)
      .map((one) =>
        repeated.has(one.exchange) ? { ...one, features: repeatedFeatures(one.features) } : one,
      );
    for (const exchange of part.permitted) this.permit(exchange);
    this.kinds.repeat(repeated);
  }

  /** Explains what was refused. To be called once. */
  finish(): AcceptanceVerdict {
    this.sent.settle();
    const rows = new Map<string, readonly RequestRow[]>();
    const unproven = new Map<string, readonly RequestRow[]>();
    const withdrawn = this.keys.take(this.sent);
    for (const [subject, kinds] of this.kinds.bySubject()) {
      for (const kind of kinds) {
        this.#drop(kind, 'choice', (exchange) => this.isPermitted(exchange));
        this.#drop(kind, 'permission', (exchange) => withdrawn.refused.has(exchange));
      }
      const due = this.#due(kinds);
      if (due.length > 0) rows.set(subject, requestRows(due));
      else if (!this.#accepted.has(subject)) unproven.set(subject, requestRows(answered(kinds)));
    }
    const refused = new Map([...rows].map(([subject, kinds]) => [subject, shareOf(kinds).refused] as const));
    const diagnoses = [
      ...this.#diagnosed(rows),
      ...refusesAll(unproven, this.#accepted.size === 0 ? 'target' : 'operations'),
    ];
    const accepted = [...this.#accepted].toSorted(([, a], [, b]) => a.at - b.at);
    return {
      diagnoses: diagnoses.map((one) => withUndecided(one, this.#undecided)),
      accepted: new Map(accepted.map(([subject, { times }]) => [subject, times])),
      refused,
      open: Object.fromEntries(this.#open),
      unanswered: [...this.unanswered.allBut(this.sent), ...withdrawn.unanswered].filter(({ assumes }) =>
        this.#areProven(assumes),
      ),
      ...this.#failures(),
      excused: [...this.#denied, ...[...this.#permitted.entries()].map(([exchange]) => exchange)],
    };
  }

  /** Explains what failed, and names what no equal request made up for. */
  #failures(): Pick<AcceptanceVerdict, 'breakdowns' | 'lost'> {
    const { all, accepted: places } = this.failed;
    if (all.length === 0) return { breakdowns: [], lost: [] };
    const answered = {
      accepted: this.sent.accepted(),
      repeats: this.sent.repeats(),
      areProven: (assumes: readonly string[]) => this.#areProven(assumes),
    };
    const lost = all.filter(
      ({ isViolation, fingerprint }) => !isViolation && !this.sent.wasAccepted(fingerprint),
    );
    return { breakdowns: breakdownsIn({ failed: all, accepted: places }, answered), lost };
  }

  /** Some choices, and the end of a key, are known only at the end of the trace. */
  #drop(kind: RefusedKind, why: OpenPoint, isInOrder: (exchange: string) => boolean): void {
    const due = kind.exchanges.filter(({ exchange }) => !isInOrder(exchange));
    const dropped = kind.exchanges.length - due.length;
    if (dropped === 0) return;
    kind.refused -= dropped;
    kind.forbidden = Math.min(kind.forbidden - (why === 'permission' ? dropped : 0), kind.refused);
    kind.exchanges = due;
    this.leaveOpen(why, dropped);
  }

  /** Explains refusals of requests that had to be accepted. */
  #diagnosed(rows: ReadonlyMap<string, readonly RequestRow[]>): readonly Diagnosis[] {
    if (rows.size === 0) return [];
    const all = new Map(rows);
    for (const [subject, accepted] of this.sent.accepted())
      all.set(subject, [...(rows.get(subject) ?? []), ...accepted]);
    return diagnose(all, this.sent.repeats());
  }

  /** Refusals of requests of which the trace shows that a 2xx was due. An account may lack the right to call an operation. */
  #due(kinds: readonly RefusedKind[]): readonly RefusedKind[] {
    const due = kinds.filter(({ refused, assumes }) => refused > 0 && this.#areProven(assumes));
    const subject = due[0]?.subject;
    if (subject === undefined || due.some(({ forbidden, refused }) => forbidden < refused)) return due;
    if ((this.#accepted.get(subject)?.times ?? 0) > 0) return due;
    for (const { refused, exchanges } of due) {
      this.leaveOpen('permission', refused);
      this.#denied.push(...exchanges.map(({ exchange }) => exchange));
    }
    return [];
  }

  /** Whether other requests have shown all of this to be good. */
  #areProven(assumes: readonly string[]): boolean {
    return assumes.every((one) => this.#proven.get(one));
  }
}

/** Refusals that are not a matter of rights. */
function answered(kinds: readonly RefusedKind[]): readonly RefusedKind[] {
  return kinds.filter(({ forbidden, refused }) => forbidden < refused);
}
