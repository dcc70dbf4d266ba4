import { acceptInvalidProbes, rejectValidProbes } from '../generate/rule-probes.ts';
import { mustAccept, mustReject, probeResults, that, where } from '../vocabulary/selectors.ts';
import { section } from '../vocabulary/statements.ts';
import type { BehaviourRequirement, ProbeResult } from '../vocabulary/types.ts';

const EARLIER = 'the earlier model';
const LATER = 'the later model';

interface ModelRule {
  readonly operation?: string;
  /** Label of the requests, and prefix of the ids of both requirements. */
  readonly keyword: string;
  /** The sentences of both requirements. */
  readonly accepts: string;
  readonly rejects: string;
}

/** Rules that hold for one of the two models, beyond the schemas, which hold for both. */
const rules: readonly ModelRule[] = [
  {
    keyword: 'earlier-model-sizes',
    accepts: `An image of 256x256, 512x512 or 1024x1024 by ${EARLIER} is accepted.`,
    rejects: `An image of a size that only ${LATER} supports is rejected for ${EARLIER}.`,
  },
  {
    keyword: 'later-model-sizes',
    accepts: `An image of 1024x1024, 1792x1024 or 1024x1792 by ${LATER} is accepted.`,
    rejects: `An image of a size that only ${EARLIER} supports is rejected for ${LATER}.`,
  },
  {
    keyword: 'later-model-count',
    accepts: `One image by ${LATER} is accepted.`,
    rejects: `More than one image by ${LATER} is rejected.`,
  },
  {
    keyword: 'earlier-model-prompt',
    accepts: `A prompt of 1000 characters for ${EARLIER} is accepted.`,
    rejects: `A prompt of more than 1000 characters for ${EARLIER} is rejected.`,
  },
  {
    operation: 'createImageEdit',
    keyword: 'edits-earlier-model',
    accepts: `An edit by ${EARLIER} is accepted.`,
    rejects: `An edit by ${LATER} is rejected.`,
  },
  {
    operation: 'createImageVariation',
    keyword: 'variations-earlier-model',
    accepts: `A variation by ${EARLIER} is accepted.`,
    rejects: `A variation by ${LATER} is rejected.`,
  },
];

/** Two requirements for each rule: the accepted request and the rejected one. */
export const models = rules.flatMap((rule) => [accepted(rule), rejected(rule)]);

function accepted({
  operation = 'createImage',
  keyword,
  accepts,
}: ModelRule): BehaviourRequirement<ProbeResult> {
  return section('2 Images').stated(`images.${keyword}.accepted`, {
    says: accepts,
    selector: where(
      probeResults(operation, keyword),
      that('that is valid', ({ side }) => side === 'valid'),
    ),
    check: mustAccept,
    mutations: {
      refused: rejectValidProbes(keyword),
      'not found': rejectValidProbes(keyword, 404),
      failed: rejectValidProbes(keyword, 500),
    },
  });
}

function rejected({
  operation = 'createImage',
  keyword,
  rejects,
}: ModelRule): BehaviourRequirement<ProbeResult> {
  return section('2 Images').implied(`images.${keyword}.rejected`, {
    says: rejects,
    selector: where(
      probeResults(operation, keyword),
      that('that is invalid', ({ side }) => side === 'violation'),
    ),
    check: mustReject,
    mutations: {
      accepted: acceptInvalidProbes(keyword),
      'accepted like a valid request': acceptInvalidProbes(keyword, 'as valid'),
    },
  });
}
