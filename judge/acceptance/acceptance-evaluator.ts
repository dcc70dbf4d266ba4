import type { Evaluator, ResultSink } from '../requirements/catalogue.ts';
import type { Violation } from '../requirements/requirement.ts';
import type { Call } from '../trace/call.ts';
import type { OutsideCall } from '../trace/outside-call.ts';
import { Acceptance } from './acceptance.ts';
import type { Breakdown } from './breakdowns.ts';
import type { DiagnosedOperation, Diagnosis } from './diagnosis.ts';
import { acceptanceRequirementId, causeId } from './ids.ts';
import type { AcceptancePart } from './sent/acceptance-part.ts';
import type { UnansweredRequest } from './sent/unanswered.ts';

/** Reports each cause of refusals once for each operation that refuses for it. */
export class AcceptanceEvaluator implements Evaluator {
  readonly #acceptance: Acceptance;
  readonly #sink: ResultSink;

  constructor(sink: ResultSink) {
    this.#sink = sink;
    this.#acceptance = new Acceptance(sink.header);
  }

  /** Every call of the trace, in the order in which they ended. */
  call(call: Call): void {
    this.#acceptance.call(call);
  }

  outside(call: OutsideCall): void {
    this.#acceptance.outside(call);
  }

  /** A choice permits the refusal of this exchange. */
  permit(exchange: string): void {
    this.#acceptance.permit(exchange);
  }

  /** A call that is judged in another part of the traffic. */
  context(call: Call): void {
    this.#acceptance.context(call);
  }

  /** Nothing so far came before or after what follows. `before`: how many exchanges came so far. */
  next(before?: number): void {
    this.#acceptance.next(before);
  }

  /** Nothing is reported before all parts of the traffic are known. */
  finish(): void {}

  /** Outcomes of the requests of this part of the traffic. */
  part(): AcceptancePart {
    return this.#acceptance.part();
  }

  /** Adds the outcomes of another part. */
  absorb(part: AcceptancePart): void {
    this.#acceptance.absorb(part);
  }

  /** Reports causes, and operations of which requests were never answered. */
  conclude(): void {
    const { accepted, refused, diagnoses, excused, unanswered, breakdowns, lost } = this.#acceptance.finish();
    this.#sink.excuse(excused);
    this.#sink.explainFailures?.({ breakdowns, lost });
    // Where some requests were never answered, the others do not show that all are accepted.
    const open = new Set(unanswered.map(({ subject }) => subject));
    for (const counts of [accepted, refused])
      for (const [subject, times] of counts)
        if (times > 0 && !open.has(subject)) this.#sink.observe(acceptanceRequirementId(subject), times);
    for (const { subject, exchange, status, why } of withoutBreakdowns(unanswered, breakdowns))
      this.#sink.report(
        acceptanceRequirementId(subject),
        { at: 'status', expected: EXPECTED, actual: status, exchange, inconclusive: why },
        [],
      );
    for (const diagnosis of diagnoses) {
      if (diagnosis.proven) this.#report(diagnosis);
      this.#sink.diagnose(diagnosis);
    }
  }

  /** A violation for each operation of a cause. */
  #report(diagnosis: Diagnosis): void {
    for (const operation of diagnosis.operations)
      this.#sink.report(
        acceptanceRequirementId(operation.subject),
        refusalViolation(diagnosis, operation),
        [],
      );
  }
}

/** Of the requests of an operation that were never answered those that no breakdown explains; all of them where it explains each. */
function withoutBreakdowns(
  unanswered: readonly UnansweredRequest[],
  breakdowns: readonly Breakdown[],
): readonly UnansweredRequest[] {
  const explained = new Set(breakdowns.flatMap(({ exchanges }) => exchanges));
  const others = unanswered.filter(({ exchange }) => !explained.has(exchange));
  const open = new Set(others.map(({ subject }) => subject));
  return unanswered.filter(({ subject, exchange }) => !open.has(subject) || !explained.has(exchange));
}

/** Said of each violation, whatever its cause. */
const EXPECTED = 'a 2xx answer to each valid request';

/** The violation of one operation for one cause. Its place is equal for equal causes: features without counts. */
function refusalViolation(diagnosis: Diagnosis, operation: DiagnosedOperation): Violation {
  const { kind, features, feature } = diagnosis;
  return {
    at: kind === 'features' ? `requests with ${features.join(' and ')}` : `requests (${feature})`,
    expected: EXPECTED,
    actual: `refuses ${refusalText(diagnosis, operation)}`,
    exchange: operation.exchanges[0] ?? '',
    causeId: causeId(operation.subject, feature),
  };
}

/** Which requests are refused, and how many of how many. */
function refusalText({ kind, features }: Diagnosis, { with: share, without }: DiagnosedOperation): string {
  const counts = `${share.refused} of ${share.total}`;
  switch (kind) {
    case 'features':
      return `${features.join(' with ')}: ${counts} requests with it, ${without.refused} of ${without.total} without`;
    case 'everything':
      return `every request: ${counts}`;
    case 'inconsistent':
      return `equal requests at random: ${counts}`;
    case 'unexplained':
      return `requests for no reason that they show: ${counts} of such requests`;
    default:
      return kind satisfies never;
  }
}
