import type { Evaluator, ResultSink } from '../requirements/catalogue.ts';
import type { Call } from '../trace/call.ts';
import { Acceptance } from './acceptance.ts';
import type { Diagnosis } from './diagnosis.ts';
import type { Share } from './explain.ts';

/** The id of the requirement that an operation, with its variant, accepts valid requests. */
export function acceptanceRequirementId(subject: string): string {
  return `${subject}:accepts`;
}

/** Reports each cause of refusals once for each operation that refuses for it. */
export class AcceptanceEvaluator implements Evaluator {
  readonly #acceptance: Acceptance;
  readonly #sink: ResultSink;

  constructor(sink: ResultSink) {
    this.#sink = sink;
    this.#acceptance = new Acceptance(sink.header);
  }

  call(call: Call): void {
    this.#acceptance.call(call);
  }

  finish(): void {
    const { accepted, refused, diagnoses } = this.#acceptance.finish();
    for (const counts of [accepted, refused])
      for (const [subject, times] of counts)
        if (times > 0) this.#sink.observe(acceptanceRequirementId(subject), times);
    for (const diagnosis of diagnoses) this.#report(diagnosis);
  }

  #report(diagnosis: Diagnosis): void {
    for (const { subject, with: share, without, exchanges } of diagnosis.operations) {
      const [exchange] = exchanges;
      if (exchange === undefined) continue;
      const violation = {
        at: placeOf(diagnosis),
        expected: 'a 2xx answer to each valid request',
        actual: `refuses ${conditionOf(diagnosis)}: ${shareText(diagnosis, share, without)}`,
        exchange,
      };
      this.#sink.report(acceptanceRequirementId(subject), violation, []);
    }
  }
}

/** Stable for the same cause: features without their counts. */
function placeOf({ kind, features }: Diagnosis): string {
  return kind === 'features' ? `requests with ${features.join(' and ')}` : `requests (${kind})`;
}

function conditionOf({ kind, features }: Diagnosis): string {
  switch (kind) {
    case 'features':
      return features.join(' with ');
    case 'everything':
      return 'every request';
    case 'inconsistent':
      return 'at random';
    case 'unexplained':
      return 'for no reason that the requests show';
    default:
      return kind satisfies never;
  }
}

function shareText({ kind }: Diagnosis, share: Share, without: Share): string {
  if (kind !== 'features') return `${share.refused} of ${share.total}`;
  return `${share.refused} of ${share.total} requests with it, ${without.refused} of ${without.total} without`;
}
