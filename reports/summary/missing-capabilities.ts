import { printable } from '../../exchange/printable.ts';
import { type DiagnosisVerdict, NO_ANSWER, type RequirementVerdict } from '../../judge/verdict/verdict.ts';
import { plural } from '../../schemas/message-text.ts';
import { missingCapabilities, scenarioWithoutEvidence } from '../capabilities.ts';
import type { Report } from '../report.ts';

const STREAM_TYPE = ':stream#contentType';
/** Matches most ids of requirements whose evidence is a stream. */
const STREAM_WORD = /stream|chunk|delta/;

interface MissingCapability {
  readonly says: string;
  readonly withoutEvidence: readonly RequirementVerdict[];
}

function capabilitiesWithoutEvidence({ requirements }: Report): readonly MissingCapability[] {
  const verdicts = new Map(requirements.map((one) => [one.id, one]));
  const unseen = requirements.filter(
    (one) => one.verdict === 'inconclusive' && scenarioWithoutEvidence(one) !== null,
  );
  return [
    ...requirements.flatMap((one): readonly MissingCapability[] => {
      const says = streamingLine(one, verdicts);
      if (says === null) return [];
      const isStreamOfFamily = ({ family, id }: RequirementVerdict) =>
        family === one.family && STREAM_WORD.test(id);
      return [{ says, withoutEvidence: unseen.filter(isStreamOfFamily) }];
    }),
    ...missingCapabilities({ requirements }).map(({ neededBy, says }) => ({
      says,
      withoutEvidence: unseen.filter((one) => neededBy.test(scenarioWithoutEvidence(one) ?? '')),
    })),
  ];
}

export function missingCapabilityLines(report: Report): readonly string[] {
  return capabilitiesWithoutEvidence(report).map(({ says, withoutEvidence }) => {
    if (withoutEvidence.length === 0) return says;
    const cause = findSharedCause(withoutEvidence, report);
    const count = plural(withoutEvidence.length, 'requirement');
    return cause === undefined
      ? `${says}; ${count} without evidence for it`
      : `${says}; ${count} without evidence for it, among the ${cause.withoutEvidence?.length} that could not be judged for ${cause.operations[0]?.id}`;
  });
}

/** The cause for which none of these requirements could be judged; undefined if there is no such cause. */
function findSharedCause(
  requirements: readonly RequirementVerdict[],
  { diagnoses = [] }: Report,
): DiagnosisVerdict | undefined {
  return diagnoses.find(({ withoutEvidence }) => {
    const counted = new Set(withoutEvidence);
    return requirements.every(({ id }) => counted.has(id));
  });
}

export function explainedIds(report: Report): ReadonlySet<string> {
  return new Set([
    ...(report.diagnoses ?? []).flatMap(({ withoutEvidence = [] }) => withoutEvidence),
    ...capabilitiesWithoutEvidence(report).flatMap(({ withoutEvidence }) =>
      withoutEvidence.map(({ id }) => id),
    ),
  ]);
}

/** Null unless requests for a stream got no event: their responses had another media type, or were errors. */
function streamingLine(
  { id, verdict, observations }: RequirementVerdict,
  verdicts: ReadonlyMap<string, RequirementVerdict>,
): string | null {
  if (!id.endsWith(STREAM_TYPE)) return null;
  const operation = id.slice(0, -STREAM_TYPE.length);
  if (verdicts.get(`${operation}:stream#json`)?.observations !== 0) return null;
  const intro = `streaming does not work at all in ${operation}:`;
  if (verdict === 'fail') return `${intro} no answer to "stream": true contains an event`;
  const acceptance = verdicts.get(`${operation}:body.stream#type.accepted`);
  if (observations > 0 || acceptance?.verdict !== 'fail') return null;
  const actual = acceptance.findings[0]?.actual ?? 'with an error';
  return `${intro} "stream": true is ${actual === NO_ANSWER ? 'not answered' : `answered ${printable(String(actual))}`}`;
}
